/**
 * Adds the pictures that pasted HTML contains as data. They are uploaded like pasted files, and stand where they stood in the HTML. This is a separate
 * chunk, because few pastes contain such pictures.
 */
import type { ChangeSpec, TransactionSpec } from '@codemirror/state'
import { StateEffect } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { limits } from '../../../shared/limits.ts'
import { findMediaType } from '../../../shared/media-types.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { asOneStep, textMap } from '../binding.ts'
import { uploadsOf } from '../uploads.ts'

/** Stands for a picture in the Markdown. It contains two characters that never occur in text. */
const mark = (index: number): string => `\uFDD0${index}\uFDD1`
const marks = /\uFDD0(\d{1,4})\uFDD1/g

/** The beginning of a GIF of one pixel. Pages use it in place of pictures that they have not loaded yet. */
const pixel = 'R0lGODlhAQAB'

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function fileOf(image: Element, type: string, base64: string): File | undefined {
  const media = findMediaType(type)
  const bytes = media?.kind === 'image' ? bytesOf(base64) : undefined
  if (media === undefined || bytes === undefined) return undefined
  const name = image.getAttribute('alt')?.trim() || 'image'
  return new File([bytes], `${name}.${media.extension}`, { type: media.contentType })
}

/** Replaces the pictures in parsed HTML by marks, and returns their files. A notice says which ones are left out. */
export function takePictures(body: Element): readonly File[] {
  const files: File[] = []
  let [count, units, isRefused] = [0, 0, false]
  for (const image of body.querySelectorAll('img')) {
    const source = image.getAttribute('src')?.trim() ?? ''
    const comma = source.indexOf(',')
    const type = /^data:(image\/[\w.+-]+);base64$/i.exec(source.slice(0, comma))?.[1]?.toLowerCase()
    if (!source.startsWith('data:image/') || source.startsWith(pixel, comma + 1)) continue
    count++
    units += source.length
    if (files.length >= limits.pastedPicturesMax || units > limits.pastedPicturesUnitsMax) continue
    const file = type === undefined ? undefined : fileOf(image, type, source.slice(comma + 1))
    if (file === undefined) isRefused = true
    else image.replaceWith(mark(files.push(file) - 1))
  }
  if (isRefused) toast(t('This kind of file is not supported. You can add pictures (PNG, JPEG, GIF, WebP, AVIF), sound and video.'))
  else if (files.length < count) toast(t('Adding the first {max} of {count} files.', { max: files.length, count }))
  return files
}

const placed = StateEffect.define<{ readonly file: File; readonly at: number }>({
  map: ({ file, at }, changes) => ({ file, at: changes.mapPos(at) })
})

/** Makes a change without the marks in its text, as one undo step, and uploads the pictures to their places. */
export function insertWith(view: EditorView, spec: TransactionSpec, files: readonly File[]): void {
  if (view.state.readOnly) return
  const { changes, newDoc } = view.state.update({ ...spec, filter: false })
  const removed: ChangeSpec[] = []
  const effects: StateEffect<{ readonly file: File; readonly at: number }>[] = []
  let shift = 0
  changes.iterChangedRanges((_from, _to, start, end) => {
    for (const { 0: all, 1: index, index: at } of newDoc.sliceString(start, end).matchAll(marks)) {
      const file = files[Number(index)]
      removed.push({ from: start + at, to: start + at + all.length })
      if (file !== undefined) effects.push(placed.of({ file, at: start + at - shift }))
      shift += all.length
    }
  })
  const transaction = view.state.update(spec, { changes: removed, effects, sequential: true })
  asOneStep(view, () => view.dispatch(transaction))
  const uploads = view.state.facet(uploadsOf)
  if (effects.length > 0 && uploads?.allowed.peek() !== true) toast(t('Your link does not allow adding files to this document.'))
  else
    for (const effect of transaction.effects)
      if (effect.is(placed)) uploads?.add([effect.value.file], view.state.facet(textMap).stored(effect.value.at))
}
