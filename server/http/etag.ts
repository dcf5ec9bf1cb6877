/** Whether a conditional read (`If-None-Match`) already has the version. */
import { tagsNamed } from '../domain/text/content.ts'
import type { Context } from './context.ts'

/**
 * Whether `If-None-Match` names this tag (given without quotes). Not `ctx.fresh`: that takes the `Cache-Control: no-cache` which fetch()
 * adds to every conditional request for a wish to get it all.
 */
export const namesTag = (ctx: Context, tag: string): boolean =>
  tagsNamed(ctx.get('If-None-Match')).some((named) => named === '*' || named === tag)
