/** Checks whether a client with a conditional read (`If-None-Match`) already has the version. */
import { tagsNamed } from '../domain/text/content.ts'
import type { Context } from './context.ts'

/**
 * Whether `If-None-Match` names this tag (given without quotes). `ctx.fresh` is not used, because fetch() adds `Cache-Control: no-cache` to every
 * conditional request, which `ctx.fresh` treats as a request for the full body.
 */
export const namesTag = (ctx: Context, tag: string): boolean =>
  tagsNamed(ctx.get('If-None-Match')).some((named) => named === '*' || named === tag)
