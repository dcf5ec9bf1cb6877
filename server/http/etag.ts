/** Checks whether the client of a conditional read (`If-None-Match`) already has the version. */
import { tagsNamed } from '../domain/text/content.ts'
import type { Context } from './context.ts'

/**
 * Whether `If-None-Match` names this tag, which is given without quotes. `ctx.fresh` would be wrong: fetch() adds `Cache-Control: no-cache` to
 * every conditional request, and `ctx.fresh` then asks for the full body.
 */
export const namesTag = (ctx: Context, tag: string): boolean =>
  tagsNamed(ctx.get('If-None-Match')).some((named) => named === '*' || named === tag)
