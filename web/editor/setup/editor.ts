/** Creates an editor bound to one `Y.Text`. It has neither a user interface nor a connection. The caller provides both. */
import { defaultKeymap } from '@codemirror/commands'
import { ensureSyntaxTree } from '@codemirror/language'
import { Compartment, EditorState, StateEffect, type Extension } from '@codemirror/state'
import { EditorView, dropCursor, keymap, placeholder, rectangularSelection, type KeyBinding } from '@codemirror/view'
import { yCollab } from 'y-codemirror.next'
import type { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { limits } from '../../../shared/limits.ts'
import { endStep, textMap, textSteps } from '../binding.ts'
import { caret } from '../caret.ts'
import { cleanInput } from '../clean-input.ts'
import { closeFence } from '../close-fence.ts'
import { continueCode, indentCode, outdentCode } from '../commands-code.ts'
import { continueList, deleteMarker } from '../commands-list.ts'
import { useAdoptedStyles } from '../csp-styles.ts'
import { remoteCursors } from '../cursors.ts'
import { markdown } from '../language.ts'
import { liveView, toggleLetter } from '../live/live.ts'
import { sizeLimit } from '../size-limit.ts'
import { phrases } from '../phrases.ts'
import { breakInCell, cellBelow, nextCell, previousCell } from '../tables.ts'
import { caretRests, resting } from '../resting.ts'
import { roomBelow } from '../room-below.ts'
import { ownSelection } from '../selection.ts'
import { leaveSlot, slots } from '../slots.ts'
import type { StepRules } from '../exact-undo.ts'
import { endSteps } from '../typing-steps.ts'
import { insertUpload, uploading } from '../uploads.ts'
import type { Steps } from '../../base/steps.ts'
import { t } from '../../text/t.ts'
import type { Upload, Uploads } from '../../uploads/upload.ts'

/** The two views in which a person can write. */
export type WritingMode = 'live' | 'source'

/** The part of the editor that loads later. */
export interface Extras {
  readonly always: Extension
  readonly live: Extension
  /** Returns the effects that keep the text in its place when the view changes. */
  readonly keptPlace: (view: EditorView) => readonly StateEffect<unknown>[]
  /** Makes undo restore the text exactly. Returns a function that restores the behavior of Yjs. */
  readonly exactUndo: (text: Y.Text, undo: Y.UndoManager, rules: StepRules) => () => void
}

export interface EditorInput {
  readonly parent: HTMLElement
  readonly text: Y.Text
  readonly awareness: Awareness
  readonly uploads: Uploads
  readonly canEdit: boolean
  /** Whether a person who cannot type yet will soon be able to. The editor then keeps the typed text and inserts it later. */
  readonly willType: () => boolean
  /** The name of the text, which screen readers announce. */
  readonly label: string
  readonly mode: WritingMode
  /** Shortcuts of the page's commands. They take precedence over CodeMirror's shortcuts. */
  readonly keys: readonly KeyBinding[]
  readonly onChange: (state: EditorState) => void
  readonly onTyped: () => void
  /** Called when a change has been refused because the document would become too large. */
  readonly onTooLarge: () => void
}

export interface Editor {
  readonly view: EditorView
  setMode(mode: WritingMode): void
  setCanEdit(canEdit: boolean): void
  setLabel(label: string): void
  /** Sets the extension for annotations, which loads later than the editor. */
  setReview(extension: Extension): void
  /** Replaces the binding that writes into the document. Undefined restores the normal binding. */
  setBinding(extension: Extension | undefined): void
  /** Forgets the changes to the document that undo and redo would repeat. */
  forgetUndo(): void
  /** Ticks or unticks the task whose marker character is at an offset. */
  toggleTask(letter: number): boolean
  /** Inserts the Markdown of an upload into the text. Returns false if the person may not write. */
  insertUpload(at: number, markdown: string, upload: Upload): boolean
  /** Adds the editor extras once they have loaded. */
  extend(extras: Extras, rules: StepRules): void
  /** Adds an extension permanently. */
  add(extension: Extension): void
  destroy(): void
}

const modeExtension = (mode: WritingMode, extras?: Extras): Extension => [
  EditorView.editorAttributes.of({ class: mode === 'live' ? 'cm-live' : 'cm-source' }),
  mode === 'live' ? [liveView, extras?.live ?? []] : []
]

const editable = (canEdit: boolean): Extension => [
  EditorState.readOnly.of(!canEdit),
  EditorView.contentAttributes.of({ 'aria-readonly': String(!canEdit) }),
  placeholder(canEdit ? t('Write, or press / for blocks') : t('Nothing here yet.'))
]

/**
 * Length of the text that is parsed before the first drawing, in UTF-16 units. The next two values are the time of one parsing step, in
 * milliseconds, and the maximum number of steps. Without this parsing, a slow or busy device would first draw plain text, which would move
 * when its headings grow.
 */
const firstUnits = 6000
const firstParseMs = 100
const firstParsesMax = 20

const sameText = (state: EditorState, text: Y.Text): boolean => state.doc.length === text.length && state.doc.toString() === text.toString()

const labelled = (label: string): Extension => EditorView.contentAttributes.of({ 'aria-label': label })

/**
 * Creates the editor in steps. Other work may run between two steps, and nothing is visible before the last one. If the text changes before the
 * editor is bound to it, the editor reads it again.
 */
export function* createEditor(input: EditorInput): Steps<Editor> {
  useAdoptedStyles()
  const mode = new Compartment()
  const access = new Compartment()
  const label = new Compartment()
  const review = new Compartment()
  const binding = new Compartment()
  const later = new Compartment()
  let current = input.mode
  let { canEdit: canEditNow, label: labelNow } = input
  let extras: Extras | undefined
  let endExactUndo = (): void => undefined
  /** Letters that the person typed before typing was allowed. */
  let early = ''
  const undoManager = new Y.UndoManager(input.text, { captureTimeout: 500 })

  const keys = keymap.of([
    ...input.keys,
    {
      key: 'Enter',
      run: (view) => leaveSlot(view) || closeFence(view) || cellBelow(view) || continueCode(view) || continueList(view),
      shift: breakInCell
    },
    {
      key: 'Tab',
      run: (view) => !caretRests(view.state) && (leaveSlot(view) || nextCell(view) || indentCode(view)),
      shift: (view) => previousCell(view) || outdentCode(view)
    },
    { key: 'Backspace', run: deleteMarker },
    // With Alt and an arrow, people go back and forward in the browser.
    ...defaultKeymap.filter(({ key }) => key !== 'Alt-ArrowLeft' && key !== 'Alt-ArrowRight')
  ])

  // The binding gets no awareness, because this project draws the cursors itself.
  const writing = (): Extension => [endSteps(undoManager), yCollab(input.text, null, { undoManager })]

  const begin = (): EditorState =>
    EditorState.create({
      doc: input.text.toString(),
      extensions: [
        cleanInput,
        sizeLimit(limits.contentUnitsMax, input.onTooLarge),
        EditorView.domEventHandlers({
          beforeinput: ({ inputType, data }, { state: { readOnly } }) => {
            if (readOnly && inputType === 'insertText' && input.willType()) early += data
          },
          keydown: ({ key }) => {
            if (key === 'Backspace') early = early.slice(0, -1)
          }
        }),
        keys,
        caret,
        resting,
        ownSelection,
        roomBelow,
        dropCursor(),
        rectangularSelection(),
        EditorView.lineWrapping,
        EditorState.allowMultipleSelections.of(true),
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({ tabindex: '0', spellcheck: 'true', autocorrect: 'on', autocapitalize: 'sentences' }),
        markdown(),
        // The phrases are set from the start. CodeMirror rebuilds its view when they change, which would end compositions and pending input.
        EditorState.phrases.of(phrases()),
        binding.of(writing()),
        endStep.of(() => undoManager.stopCapturing()),
        textSteps.of(undoManager),
        review.of([]),
        remoteCursors(input.text, input.awareness),
        uploading(input.uploads),
        slots,
        later.of([]),
        access.of(editable(input.canEdit)),
        mode.of(modeExtension(input.mode)),
        label.of(labelled(input.label)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.selectionSet) input.onChange(update.state)
          if (update.transactions.some((transaction) => transaction.isUserEvent('input') || transaction.isUserEvent('delete')))
            input.onTyped()
        })
      ]
    })

  let state = begin()
  for (let parses = 0; parses < firstParsesMax; parses++) {
    yield
    if (!sameText(state, input.text)) state = begin()
    if (ensureSyntaxTree(state, firstUnits, firstParseMs) !== null) break
  }
  // A state contains its own parse result only after another transaction.
  const view = new EditorView({ parent: input.parent, state: state.update({}).state })
  let isMade = false
  try {
    yield
    isMade = true
  } finally {
    if (!isMade) view.destroy()
  }

  return {
    view,
    // Setting the same mode again must not redraw the text.
    setMode(value) {
      if (value === current) return
      current = value
      view.dispatch({ effects: [mode.reconfigure(modeExtension(value, extras)), ...(extras?.keptPlace(view) ?? [])] })
    },
    setCanEdit(value) {
      if (value === canEditNow) return
      canEditNow = value
      view.dispatch({ effects: access.reconfigure(editable(value)) })
      if (value && early !== '') view.dispatch(view.state.replaceSelection(early))
      early = ''
    },
    setLabel(value) {
      if (value === labelNow) return
      labelNow = value
      view.dispatch({ effects: label.reconfigure(labelled(value)) })
    },
    setReview: (value) => view.dispatch({ effects: review.reconfigure(value) }),
    setBinding: (value) => view.dispatch({ effects: binding.reconfigure(value ?? writing()) }),
    forgetUndo: () => undoManager.clear(),
    toggleTask: (letter) => toggleLetter(view, view.state.facet(textMap).shown(letter)),
    insertUpload: (at, markdown, upload) => insertUpload(view, view.state.facet(textMap).shown(at), markdown, upload),
    extend(value, rules) {
      extras = value
      endExactUndo = value.exactUndo(input.text, undoManager, rules)
      view.dispatch({ effects: [later.reconfigure(value.always), mode.reconfigure(modeExtension(current, value))] })
    },
    add: (extension) => view.dispatch({ effects: StateEffect.appendConfig.of(extension) }),
    destroy() {
      view.destroy()
      endExactUndo()
      undoManager.destroy()
    }
  }
}
