/** What the card of a picture writes into the text. */
import type { ChangeSpec } from '@codemirror/state'
import { pictureWidthMax, pictureWidthMin } from '../../shared/markdown/pictures.ts'
import type { PictureAt } from './picture-at.ts'

/** The changes that give a picture a width (undefined: its own) and a caption ('': none). */
export function pictureChanges(
  { written, words, width, urlEnd, title, caption }: PictureAt,
  wanted: { readonly width: number | undefined; readonly caption: string }
): ChangeSpec[] {
  const changes: ChangeSpec[] = []
  const fits = wanted.width === undefined ? undefined : Math.round(Math.min(pictureWidthMax, Math.max(pictureWidthMin, wanted.width)))
  if (fits !== width) changes.push({ from: written.from, to: written.to, insert: fits === undefined ? words : `${words}|${fits}` })
  const asked = wanted.caption.replaceAll(/\s+/g, ' ').trim()
  if (asked !== caption) {
    const insert = asked === '' ? '' : ` "${asked.replaceAll(/["\\]/g, '\\$&')}"`
    changes.push({ from: urlEnd, to: title?.to ?? urlEnd, insert })
  }
  return changes
}
