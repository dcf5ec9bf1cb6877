/**
 * Adds files in the editor, by paste, drop or the toolbar. Until the server has a file, its placeholder is only in the view and not in the text. Then
 * the Markdown of the file is inserted as a separate edit.
 */
import { syntaxTree } from '@codemirror/language'
import { effect } from '@preact/signals'
import { EditorSelection, Facet, StateEffect, StateField, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type Command, type DecorationSet } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { mediaTypes } from '../../shared/media-types.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { asOneStep, textMap } from './binding.ts'
import { intoCell } from './tables.ts'
import type { Follows, Upload, Uploads } from '../uploads/upload.ts'

export const uploadsOf = Facet.define<Uploads, Uploads | undefined>({ combine: ([first]) => first })

interface PositionedUpload {
  readonly upload: Upload
  readonly at: number
}

const place = StateEffect.define<readonly PositionedUpload[]>()

const stops = new WeakMap<HTMLElement, () => void>()

class UploadWidget extends WidgetType {
  readonly #upload: Upload

  constructor(upload: Upload) {
    super()
    this.#upload = upload
  }

  override eq(other: UploadWidget): boolean {
    return other.#upload === this.#upload
  }

  override toDOM(view: EditorView): HTMLElement {
    const upload = this.#upload
    const uploads = view.state.facet(uploadsOf)
    const box = document.createElement('span')
    box.className = 'upload'
    box.contentEditable = 'false'
    box.setAttribute('role', 'group')
    box.setAttribute('aria-label', t('Adding {name}', { name: upload.fileName }))
    box.textContent = upload.fileName
    // A page can open before the code that draws the box has loaded.
    let stop: (() => void) | undefined
    let shown = true
    stops.set(box, () => {
      shown = false
      stop?.()
    })
    import('./upload-box.ts').then(
      ({ drawUpload }) => {
        if (shown) stop = drawUpload(box, upload, { uploads, onRemoved: () => view.focus() })
      },
      () => toast(t('This part of the page could not be loaded. It loads when you are back online.'))
    )
    return box
  }

  override destroy(box: HTMLElement): void {
    stops.get(box)?.()
  }

  // The editor handles files that are dropped on the box, as it does elsewhere.
  override ignoreEvent({ type }: Event): boolean {
    return !/^(?:drag|drop)/.test(type)
  }
}

const widgetAt = ({ upload, at }: PositionedUpload): Range<Decoration> =>
  Decoration.widget({ widget: new UploadWidget(upload), side: -1 }).range(at)

const placeholders = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    for (const change of transaction.effects) if (change.is(place)) return Decoration.set(change.value.map(widgetAt), true)
    return set.map(transaction.changes)
  },
  provide: (self) => EditorView.decorations.from(self)
})

/** Keeps the placeholders at their positions when the text changes. */
const placer = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView
    readonly #stop: () => void

    constructor(view: EditorView) {
      this.#view = view
      const uploads = view.state.facet(uploadsOf)
      this.#stop = effect(() => {
        uploads?.list.value.at(0)
        this.#place()
      })
    }

    update({ docChanged, state }: { readonly docChanged: boolean; readonly state: EditorView['state'] }): void {
      if (docChanged && (state.facet(uploadsOf)?.list.peek().length ?? 0) > 0) this.#place()
    }

    destroy(): void {
      this.#stop()
    }

    // Runs after the binding has applied the change to Y.Text, because positions refer to the items of Y.Text.
    #place(): void {
      queueMicrotask(() => {
        const uploads = this.#view.state.facet(uploadsOf)
        if (uploads === undefined) return
        const { length } = this.#view.state.doc
        const { shown } = this.#view.state.facet(textMap)
        const placed = uploads.list.peek().map((upload) => ({ upload, at: Math.min(shown(uploads.placeOf(upload)), length) }))
        if (placed.length > 0 || this.#view.state.field(placeholders).size > 0) this.#view.dispatch({ effects: place.of(placed) })
      })
    }
  }
)

/** Returns the files of a paste or drop. Undefined if the text should be used instead. Text files are not uploaded (paste/text-files.ts). */
export function filesOf(data: DataTransfer | null): File[] | undefined {
  const files = [...(data?.files ?? [])]
  // Spreadsheets and word processors copy a picture of the text as well.
  if (files.length === 0 || data?.getData('text/plain') !== '') return undefined
  return files
}

/** Returns the end of the picture or link around a position. Undefined if there is none. */
function endAround({ state }: EditorView, at: number): number | undefined {
  let end: number | undefined
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, 1); node !== null; node = node.parent)
    if (/^(Image|Link)$/.test(node.name) && node.from < at && at < node.to) end = node.to
  return end
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Returns the end of the word around a position, or the position itself if it is not inside a word. */
function outOfWord({ state }: EditorView, at: number): number {
  const line = state.doc.lineAt(at)
  const part = words.segment(line.text).containing(at - line.from)
  return part?.isWordLike === true && line.from + part.index < at ? line.from + part.index + part.segment.length : at
}

/**
 * Starts adding files at a position and puts the caret there. Files that are added inside a word, a link or a picture are placed after it, because
 * they would break it. Files that are added next to the bars of a table row go into its nearest cell. With `apart`, they become blocks after the
 * block that ends at the position.
 */
export function take(view: EditorView, files: readonly File[], at: number, follows?: 'apart'): void {
  const uploads = view.state.facet(uploadsOf)
  // A person who may only suggest can type but cannot add files.
  if (view.state.readOnly || uploads?.allowed.peek() !== true) {
    toast(t('Your link does not allow adding files to this document.'))
    return
  }
  const end = endAround(view, at)
  const place = follows === undefined ? (end ?? intoCell(view.state, at) ?? outOfWord(view, at)) : at
  view.dispatch({ selection: EditorSelection.cursor(place) })
  uploads.add(files, view.state.facet(textMap).stored(place), follows ?? end !== undefined)
  view.focus()
}

const events = EditorView.domEventHandlers({
  paste(event, view) {
    const files = filesOf(event.clipboardData)
    if (files === undefined) return false
    take(view, files, view.state.selection.main.head)
    event.preventDefault()
    return true
  },
  drop(event, view) {
    const files = filesOf(event.dataTransfer)
    if (files === undefined) return false
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length
    take(view, files, at)
    event.preventDefault()
    return true
  }
})

/** Opens the file picker, and inserts the chosen files at the caret. */
export const chooseFiles: Command = (view) => {
  const uploads = view.state.facet(uploadsOf)
  if (view.state.readOnly || uploads?.allowed.peek() !== true) return false
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.accept = mediaTypes.flatMap(({ contentType, extension }) => [contentType, `.${extension}`]).join(',')
  input.addEventListener('change', () => {
    take(view, [...(input.files ?? [])], view.state.selection.main.head)
  })
  input.click()
  return true
}

/** The text that surrounds the Markdown of an upload. */
interface Surroundings {
  readonly before: string
  /** An empty line and a line for the caret. They are added if the caret moves below the upload. */
  readonly caretLine: string
  readonly after: string
}

/** Returns the text around an upload. On a line without other text, an upload is a separate block, even inside a quote. */
function around({ doc }: EditorView['state'], at: number, follows: Follows): Surroundings {
  const line = doc.lineAt(at)
  const isBlank = (text: string): boolean => /^[ \t>]*$/.test(text)
  const below = line.number < doc.lines ? doc.line(line.number + 1).text : ''
  if (!isBlank(line.text)) {
    if (follows === 'apart') return { before: '\n\n', caretLine: '\n\n', after: isBlank(below) ? '' : '\n' }
    return { before: follows && line.from < at ? '\n' : '', caretLine: '', after: '' }
  }
  const above = line.number > 1 ? doc.line(line.number - 1).text : ''
  const empty = `\n${line.text.trimEnd()}`
  return { before: isBlank(above) ? '' : `\n${line.text}`, caretLine: `${empty}\n${line.text}`, after: isBlank(below) ? '' : empty }
}

/**
 * Inserts the Markdown of an upload as a separate undo step. If the caret is still where the file was added, it moves below the upload, or after an
 * upload within text, so that typing does not end up in the Markdown. Otherwise the caret stays, so that a person who continued writing is not
 * disturbed.
 */
export function insertUpload(view: EditorView, at: number, markdown: string, { follows }: Upload): boolean {
  if (view.state.readOnly) return false
  const { main } = view.state.selection
  const waits = main.empty && main.head === at && view.hasFocus
  const { before, caretLine, after } = around(view.state, at, follows)
  const own = before + markdown + (waits ? caretLine : '')
  asOneStep(view, () =>
    view.dispatch({
      changes: { from: at, insert: own + after },
      ...(waits && { selection: EditorSelection.cursor(at + own.length), scrollIntoView: true }),
      userEvent: 'input.upload'
    })
  )
  return true
}

export const uploading = (uploads: Uploads): Extension => [uploadsOf.of(uploads), placeholders, placer, events]
