/**
 * Menus that open while a person types: blocks after `/`, emoji after `:`, documents after `[[`. Text that others write meanwhile moves the menu and
 * does not close it (CodeMirror's completion maps its position).
 */
import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  selectedCompletion,
  completionStatus,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult
} from '@codemirror/autocomplete'
import { Prec, type EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { EditorView, keymap, ViewPlugin } from '@codemirror/view'
import { best } from '../base/match.ts'
import { t } from '../text/t.ts'
import { iconPath } from '../ui/icons.tsx'
import { drawIcon } from './draw-icon.ts'
import { emoji } from '../../shared/markdown/emoji.ts'
import { endStep } from './binding.ts'
import { isInCode } from './in-code.ts'

/** An entry of the menu of blocks. */
export interface BlockEntry {
  readonly title: string
  /** Other words that find the option. */
  readonly words: string
  readonly section: string
  /** Path data of the option's icon. */
  readonly icon: string
  /** Markdown that has the same effect when typed. */
  readonly typed: string
  /** Whether the command applies here and now. */
  isPossible(): boolean
  run(): void
}

/** A document that can be linked to. */
export interface LinkTarget {
  readonly title: string
  readonly address: string
}

/** Calls a listener when the results of `isPossible` have changed. Returns a function that removes the listener. */
export type OnChange = (listener: () => void) => () => void

/** Finds documents to link to. */
export interface Documents {
  find(query: string, isOver: () => boolean): Promise<readonly LinkTarget[]>
  /** Whether the person may and can create one now. */
  mayCreate(): boolean
  /** Undefined: it could not be created, and the person was told. */
  create(title: string): Promise<LinkTarget | undefined>
}

/** Returns the Markdown of a link to a document. */
export const linkTo = ({ title, address }: LinkTarget): string =>
  `[${title.replaceAll(/[\\[\]]/g, '\\$&').replaceAll(/\s+/g, ' ')}](${address})`

/** Shows that there are no results; choosing it leaves the typed text. */
const nothing = (query: string): Shown => ({
  label: query === '' ? t('No other documents yet') : t('No document has this title'),
  drawing: iconPath('file'),
  isNone: true,
  apply: () => undefined
})

/** If the menu has no result, the key that would accept one closes the menu and then has its usual effect. */
const goesPastNothing = (view: EditorView): boolean => {
  const chosen: Shown | null = selectedCompletion(view.state)
  if (chosen?.isNone === true) closeCompletion(view)
  return false
}

/** Where the brackets with these words are by now, nearest to where they were; undefined: they are gone. */
export function bracketsNear(text: string, words: string, near: number): { readonly from: number; readonly to: number } | undefined {
  const sought = `[[${words}`
  const [before, behind] = [text.lastIndexOf(sought, near), text.indexOf(sought, near)]
  const from = behind === -1 || (before !== -1 && near - before <= behind - near) ? before : behind
  if (from === -1) return undefined
  const to = from + sought.length
  return { from, to: text.startsWith(']]', to) ? to + 2 : to }
}

/** Creates a document with the typed words as its title, and puts a link to it in their place: a step of its own, so that undo takes it away alone. */
async function createAndLink(view: EditorView, words: string, near: number, create: Documents['create']): Promise<void> {
  const target = await create(words.trim())
  const place = target && bracketsNear(view.state.doc.toString(), words, near)
  if (target === undefined || place === undefined || view.state.readOnly) return
  const insert = linkTo(target)
  const { head } = view.state.selection.main
  const end = view.state.facet(endStep)
  end(view)
  view.dispatch({
    changes: { ...place, insert },
    // A caret that has moved elsewhere stays where it is.
    ...(head >= place.from && head <= place.to && { selection: { anchor: place.from + insert.length } }),
    userEvent: 'input.complete'
  })
  end(view)
}

const creation = (query: string, create: Documents['create']): Shown => ({
  label: t('Create “{title}”', { title: query.trim() }),
  drawing: iconPath('pen'),
  apply: (view, _completion, from) => void createAndLink(view, query, from - 2, create)
})

async function documentsAt(context: CompletionContext, { find, mayCreate, create }: Documents): Promise<CompletionResult | null> {
  const found = context.matchBefore(/\[\[[^[\]\n]{0,60}$/)
  if (found === null || context.state.readOnly || isInCode(context.state, context.pos)) return null
  const query = found.text.slice(2)
  const documents = await find(query, () => context.aborted)
  const options = documents.map((document): Shown => ({
    label: document.title,
    drawing: iconPath('file'),
    apply(view, _completion, from, to) {
      // Also replaces the closing part if the text already has one.
      const end = view.state.doc.sliceString(to, to + 2) === ']]' ? to + 2 : to
      const insert = linkTo(document)
      view.dispatch({
        changes: { from: from - 2, to: end, insert },
        selection: { anchor: from - 2 + insert.length },
        userEvent: 'input.complete'
      })
    }
  }))
  // Without an entry, brackets that find nothing would seem to have no effect.
  const none = query.trim() !== '' && mayCreate() ? creation(query, create) : nothing(query)
  return { from: found.from + 2, options: options.length > 0 ? options : [none], filter: false }
}

const drop = (view: EditorView, from: number, to: number): void => view.dispatch({ changes: { from, to }, userEvent: 'delete.completion' })

interface Shown extends Completion {
  readonly drawing?: string
  readonly sign?: string
  /** The entry only shows that there are no results. */
  readonly isNone?: true
}

/**
 * One option object per entry, whatever is typed: CodeMirror identifies the chosen option by its object. Otherwise an answer that arrives after an
 * arrow key would choose the first one again.
 */
const made = new WeakMap<BlockEntry, Shown>()

function optionOf(entry: BlockEntry): Shown {
  const known = made.get(entry)
  if (known !== undefined) return known
  const option: Shown = {
    label: entry.title,
    detail: entry.typed,
    drawing: entry.icon,
    apply: (view, _completion, from, to) => {
      // Including the slash.
      drop(view, from - 1, to)
      entry.run()
    }
  }
  made.set(entry, option)
  return option
}

function sectionHead(words: string): HTMLElement {
  const head = document.createElement('li')
  head.className = 'menu-section'
  head.setAttribute('role', 'presentation')
  head.textContent = words
  return head
}

const sectioned = new WeakMap<BlockEntry, Shown>()
const sections = new Map<string, { readonly name: string; readonly rank: number; header(): HTMLElement }>()

function sectionOf(name: string) {
  const known = sections.get(name) ?? { name, rank: sections.size, header: () => sectionHead(name) }
  sections.set(name, known)
  return known
}

/** All options in their sections. */
const allOptions = (entries: readonly BlockEntry[]): Shown[] =>
  entries.map((entry) => {
    const option = sectioned.get(entry) ?? { ...optionOf(entry), section: sectionOf(entry.section) }
    sectioned.set(entry, option)
    return option
  })

/** Returns all possible options; once something is typed, those that match it, the best first. */
function optionsFor(query: string, all: readonly BlockEntry[]): Shown[] {
  const entries = all.filter((entry) => entry.isPossible())
  return query === '' ? allOptions(entries) : best(query, entries, ({ title, words }) => [title, words]).map(optionOf)
}

const slashBefore = /(?:^|\s)\/[\p{L}\d ]{0,24}$/u
/** The longest match of `slashBefore`, in UTF-16 units. */
const slashUnitsMax = 64

function blocksAt(context: CompletionContext, entries: readonly BlockEntry[]): CompletionResult | null {
  const found = context.matchBefore(slashBefore)
  if (found === null || context.state.readOnly || isInCode(context.state, context.pos)) return null
  const query = found.text.slice(found.text.indexOf('/') + 1)
  const options = optionsFor(query, entries)
  if (options.length === 0) return null
  // Updates at once, with the key that changes it, so that the next key acts on the options that are shown.
  return { from: context.pos - query.length, options, filter: false, update: (_result, _from, _to, now) => blocksAt(now, entries) }
}

const signs: readonly Shown[] = emoji.map(([name, sign]) => ({
  label: name,
  sign,
  apply: (view, _completion, from, to) => {
    // A colon after the name belongs to it.
    const end = view.state.doc.sliceString(to, to + 1) === ':' ? to + 1 : to
    view.dispatch({
      changes: { from: from - 1, to: end, insert: sign },
      selection: { anchor: from - 1 + sign.length },
      userEvent: 'input.complete'
    })
  }
}))

function emojiByName(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/(?:^|[\s(])[:][a-z0-9_+-]{1,24}$/)
  if (found === null || context.state.readOnly || isInCode(context.state, context.pos)) return null
  return { from: found.from + found.text.indexOf(':') + 1, options: signs, validFor: /^[a-z0-9_+-]*$/ }
}

const signByName = new Map(emoji)
/** Longest name of an emoji, in UTF-16 units. */
const nameUnitsMax = 24

/** Replaces the name of an emoji with the emoji when its closing colon is typed at a position. */
export function emojiTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const before = state.sliceDoc(Math.max(state.doc.lineAt(at).from, at - nameUnitsMax - 2), at)
  const [, name = ''] = /(?:^|[\s(]):([a-z0-9_+-]{1,24})$/.exec(before) ?? []
  const sign = signByName.get(name)
  if (sign === undefined || state.readOnly || isInCode(state, at)) return undefined
  const from = at - name.length - 1
  return {
    changes: { from, to: at, insert: sign },
    selection: { anchor: from + sign.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

const emojiByColon = EditorView.inputHandler.of((view, from, to, text) => {
  const spec = text === ':' && from === to ? emojiTyped(view.state, from) : undefined
  if (spec !== undefined) view.dispatch(spec)
  return spec !== undefined
})

function signOf(sign: string): Node {
  const made = document.createElement('span')
  made.className = 'menu-sign'
  made.textContent = sign
  return made
}

/** The list scrolls, so it must be focusable; CodeMirror makes one that is not. Tab accepts the chosen option and does not move the focus. */
const focusable = EditorView.updateListener.of(({ state, view }) => {
  if (completionStatus(state) !== 'active') return
  view.requestMeasure({
    key: 'menu',
    read: () => undefined,
    write() {
      for (const list of view.dom.querySelectorAll<HTMLElement>('.menu-at-cursor > ul')) list.tabIndex = 0
    }
  })
})

const menus = (entries: readonly BlockEntry[], documents: Documents): Extension =>
  autocompletion({
    // A single source: while a second one is still pending, Enter would begin a new line instead of accepting an option of the first.
    override: [(context) => blocksAt(context, entries) ?? emojiByName(context) ?? documentsAt(context, documents)],
    icons: false,
    interactionDelay: 0,
    activateOnTypingDelay: 20,
    maxRenderedOptions: 60,
    addToOptions: [
      {
        position: 20,
        render: ({ drawing: data, sign }: Shown) => (data !== undefined ? drawIcon(data) : sign !== undefined ? signOf(sign) : null)
      }
    ],
    tooltipClass: () => 'menu-at-cursor'
  })

const isBehindSlash = ({ doc, selection: { main } }: EditorState): boolean =>
  main.empty && slashBefore.test(doc.sliceString(Math.max(doc.lineAt(main.head).from, main.head - slashUnitsMax), main.head))

/** Escape cancels a menu that is still loading, but is not consumed: the Tab after it leaves the text. */
const givesUp: Extension = Prec.highest(
  keymap.of([
    {
      key: 'Escape',
      run(view) {
        if (completionStatus(view.state) === 'pending') closeCompletion(view)
        return false
      }
    }
  ])
)

/** Rights may arrive when the menu is already open or has found nothing. */
const asksAgain = (onChange: OnChange): Extension =>
  ViewPlugin.define((view) => ({
    destroy: onChange(() => {
      if (isBehindSlash(view.state)) startCompletion(view)
    })
  }))

export const completions = (entries: readonly BlockEntry[], documents: Documents, onChange: OnChange): Extension => [
  givesUp,
  emojiByColon,
  menus(entries, documents),
  asksAgain(onChange),
  focusable,
  Prec.highest(
    keymap.of([
      { key: 'Enter', run: goesPastNothing },
      { key: 'Tab', run: (view) => goesPastNothing(view) || acceptCompletion(view) }
    ])
  )
]
