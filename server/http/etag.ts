/** Whether a conditional read (`If-None-Match`) already has the version. */
import { tagsNamed } from '../domain/text/content.ts'
import type { Context } from './context.ts'

/**
 * Whether `If-None-Match` names this tag (given without quotes). Not `ctx.fresh`, which treats the `Cache-Control: no-cache` that fetch() adds to
 * every conditional request as a request for the full body.
 */
export const namesTag = (ctx: Context, tag: string): boolean =>
  tagsNamed(ctx.get('If-None-Match')).some((named) => named === '*' || named === tag)
