/**
 * Replaces the file of a picture with another file of this device. The file is added like any other, with its placeholder at the picture. When its
 * Markdown arrives, only the address of the picture changes. If the page is closed before, the new picture is inserted at the old one.
 */
import {
  EditorState,
  StateEffect,
  StateField,
  type ChangeDesc,
  type Extension,
  type Transaction,
  type TransactionSpec
} from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { mediaTypes } from '../../../shared/media-types.ts'
import type { Upload } from '../../uploads/upload.ts'
import { textMap } from '../binding.ts'
import { uploadsOf } from '../uploads.ts'
import type { PictureAt } from './picture-at.ts'
import { addressWritten, pictureWithin } from './picture-size.ts'

/** A picture whose new file is being sent. */
interface Replaced {
  /** The range of the picture. Text that others insert directly before it is part of the range, because the file is placed before such text. */
  readonly from: number
  readonly to: number
  readonly address: string
  readonly fileName: string
  /** The files that were being added before this one. */
  readonly others: readonly Upload[]
}

const moved = ({ from, to, ...rest }: Replaced, changes: ChangeDesc): Replaced => ({
  ...rest,
  from: changes.mapPos(from, -1),
  to: changes.mapPos(to, -1)
})

const begin = StateEffect.define<Replaced>({ map: moved })
const end = StateEffect.define<Replaced>()

const field = StateField.define<readonly Replaced[]>({
  create: () => [],
  update(list, { changes, docChanged, effects }) {
    const ended = effects.flatMap((effect) => (effect.is(end) ? [effect.value] : []))
    const rest = list.filter((each) => !ended.includes(each))
    const all = docChanged ? rest.map((each) => moved(each, changes)) : rest
    return [...all, ...effects.flatMap((effect) => (effect.is(begin) ? [effect.value] : []))]
  }
})

/** Returns the transaction that changes the address of a picture, instead of the insertion of its new file. Undefined for any other transaction. */
function replacing(transaction: Transaction): TransactionSpec | undefined {
  const { startState: state, changes } = transaction
  const list = state.field(field)
  if (list.length === 0 || !transaction.isUserEvent('input.upload')) return undefined
  // Files are sent one at a time.
  const upload = state
    .facet(uploadsOf)
    ?.list.peek()
    .find((each) => each.state.peek().phase === 'sending')
  let [at, inserted] = [-1, '']
  changes.iterChanges((from, _to, _from, _end, text) => {
    at = from
    inserted = text.toString()
  })
  const address = /\]\((\/f\/[\w.-]+)\)/.exec(inserted)?.[1]
  const found = list.find(
    ({ from, to, fileName, others }) =>
      at >= from && at <= to && upload !== undefined && fileName === upload.fileName && !others.includes(upload)
  )
  const picture = found && pictureWithin(state, found, found.address)
  if (found === undefined || picture === undefined || address === undefined) return undefined
  const { written, urlEnd } = picture
  return { changes: { from: written.to, to: urlEnd, insert: `](${address}` }, effects: end.of(found), userEvent: 'input.picture' }
}

/** Whether this person may replace pictures. */
export const mayReplace = ({ state }: EditorView): boolean => !state.readOnly && state.facet(uploadsOf)?.allowed.peek() === true

/** Opens the file picker. Replaces the picture that `find` then returns with the chosen file, and calls `onChosen` before. */
export function replacePicture(view: EditorView, find: () => PictureAt | undefined, onChosen: () => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = mediaTypes
    .filter(({ kind }) => kind === 'image')
    .flatMap(({ contentType, extension }) => [contentType, `.${extension}`])
    .join(',')
  input.addEventListener('change', () => {
    const [picture, file] = [find(), input.files?.[0]]
    const uploads = view.state.facet(uploadsOf)
    if (picture === undefined || file === undefined || uploads === undefined || !mayReplace(view)) return
    const { from, to } = picture
    const replaced = { from, to, address: addressWritten(view.state, picture), fileName: file.name, others: uploads.list.peek() }
    view.dispatch({ effects: begin.of(replaced) })
    uploads.add([file], view.state.facet(textMap).stored(from))
    onChosen()
  })
  input.click()
}

export const pictureReplaced: Extension = [field, EditorState.transactionFilter.of((transaction) => replacing(transaction) ?? transaction)]
