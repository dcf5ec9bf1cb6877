/**
 * Menus that open while a person types: blocks after `/`, emoji after `:`, and documents after `[[`. Text that others write meanwhile moves the menu
 * but does not close it, because CodeMirror's autocompletion adjusts the menu's position.
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
import { emoji, emojiAtEnd } from '../../shared/markdown/emoji.ts'
import { endStep } from './binding.ts'
import { isInCode } from './in-code.ts'
import { revealed } from './resting.ts'

/** An entry in the menu of blocks. */
export interface BlockEntry {
  readonly title: string
  /** The names and words by which a search finds the entry, most important first. */
  readonly names: readonly string[]
  readonly section: string
  /** Path data of the entry's icon. */
  readonly icon: string
  /** The Markdown that has the same effect when a person types it. */
  readonly typed: string
  /** Whether the command can run at the caret now. */
  isPossible(): boolean
  run(): void
}

/** A document that a link can lead to. */
export interface LinkTarget {
  readonly title: string
  readonly address: string
}

/** Calls a listener when the results of `isPossible` have changed. Returns a function that removes the listener. */
export type OnChange = (listener: () => void) => () => void

/** Finds documents to link to. */
export interface Documents {
  find(query: string, isOver: () => boolean): Promise<readonly LinkTarget[]>
  /** Whether the person may create a document, and can do so now. */
  mayCreate(): boolean
  /** Creates a document. If that fails, shows a message and resolves to undefined. */
  create(title: string): Promise<LinkTarget | undefined>
}

/** Returns the Markdown of a link to a document. */
export const linkTo = ({ title, address }: LinkTarget): string =>
  `[${title.replaceAll(/[\\[\]]/g, '\\$&').replaceAll(/\s+/g, ' ')}](${address})`

/** Creates the entry that says that nothing was found. Choosing it leaves the typed text unchanged. */
const nothing = (query: string): Shown => ({
  label: query === '' ? t('No other documents yet') : t('No document has this title'),
  drawing: iconPath('file'),
  isNone: true,
  apply: () => undefined
})

/** If nothing was found, a key that would accept an entry closes the menu and then has its usual effect. */
const goesPastNothing = (view: EditorView): boolean => {
  const chosen: Shown | null = selectedCompletion(view.state)
  if (chosen?.isNone === true) closeCompletion(view)
  return false
}

/** Returns the current position of the brackets with these words, the nearest to `near`. Undefined if they are gone. */
export function bracketsNear(text: string, words: string, near: number): { readonly from: number; readonly to: number } | undefined {
  const sought = `[[${words}`
  const [before, behind] = [text.lastIndexOf(sought, near), text.indexOf(sought, near)]
  const from = behind === -1 || (before !== -1 && near - before <= behind - near) ? before : behind
  if (from === -1) return undefined
  const to = from + sought.length
  return { from, to: text.startsWith(']]', to) ? to + 2 : to }
}

/** Creates a document with the typed words as its title, and replaces them with a link to it. The replacement is a separate undo step. */
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
    // If the caret has since moved elsewhere, it stays there.
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
      // Closing brackets that are already in the text are replaced as well.
      const end = view.state.doc.sliceString(to, to + 2) === ']]' ? to + 2 : to
      const insert = linkTo(document)
      view.dispatch({
        changes: { from: from - 2, to: end, insert },
        selection: { anchor: from - 2 + insert.length },
        userEvent: 'input.complete'
      })
    }
  }))
  // If the menu stayed empty, typing brackets would seem to have no effect.
  const none = query.trim() !== '' && mayCreate() ? creation(query, create) : nothing(query)
  return { from: found.from + 2, options: options.length > 0 ? options : [none], filter: false }
}

const drop = (view: EditorView, from: number, to: number): void => view.dispatch({ changes: { from, to }, userEvent: 'delete.completion' })

interface Shown extends Completion {
  readonly drawing?: string
  readonly sign?: string
  /** Whether the entry only says that nothing was found. */
  readonly isNone?: true
}

/**
 * Each entry keeps the same option object, regardless of what the person types. CodeMirror identifies the chosen option by its object. With new
 * objects, a result that arrives after an arrow key would move the choice back to the first entry.
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
      // This also removes the slash.
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

/** Returns all entries as options in their sections. */
const allOptions = (entries: readonly BlockEntry[]): Shown[] =>
  entries.map((entry) => {
    const option = sectioned.get(entry) ?? { ...optionOf(entry), section: sectionOf(entry.section) }
    sectioned.set(entry, option)
    return option
  })

/** Returns all possible options. Once something is typed, it returns those that match, best first. */
function optionsFor(query: string, all: readonly BlockEntry[]): Shown[] {
  const entries = all.filter((entry) => entry.isPossible())
  return query === '' ? allOptions(entries) : best(query, entries, ({ names }) => names).map(optionOf)
}

const slashBefore = /(?:^|\s)\/[\p{L}\d ]{0,24}$/u
/** Longest match of `slashBefore`, in UTF-16 units. */
const slashUnitsMax = 64

function blocksAt(context: CompletionContext, entries: readonly BlockEntry[]): CompletionResult | null {
  const found = context.matchBefore(slashBefore)
  if (found === null || context.state.readOnly || isInCode(context.state, context.pos)) return null
  const query = found.text.slice(found.text.indexOf('/') + 1)
  const options = optionsFor(query, entries)
  if (options.length === 0) return null
  // `update` changes the options together with the text, so that the next key press acts on the options that are visible.
  return { from: context.pos - query.length, options, filter: false, update: (_result, _from, _to, now) => blocksAt(now, entries) }
}

/** The emoji that the menu shows first while nothing is typed. The others follow by name. */
const firstSigns = ['smile', 'joy', 'heart', '+1', 'tada', 'thinking', 'clap', 'fire', 'eyes', 'white_check_mark'].toReversed()

const signs: readonly Shown[] = emoji.map(([name, sign]) => ({
  label: name,
  sign,
  boost: firstSigns.indexOf(name) + 1,
  apply: (view, _completion, from, to) => {
    // A colon that follows the name is replaced as well.
    const end = view.state.doc.sliceString(to, to + 1) === ':' ? to + 1 : to
    view.dispatch({
      changes: { from: from - 1, to: end, insert: sign },
      selection: { anchor: from - 1 + sign.length },
      userEvent: 'input.complete'
    })
  }
}))

function emojiByName(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/(?:^|[\s(])[:][a-z0-9_+-]{0,24}$/)
  // Without a letter, the menu opens only on request.
  if (found === null || (found.text.endsWith(':') && !context.explicit) || context.state.readOnly || isInCode(context.state, context.pos))
    return null
  return { from: found.from + found.text.indexOf(':') + 1, options: signs, validFor: /^[a-z0-9_+-]*$/ }
}

/** Replaces an emoji name with the emoji when the closing colon is typed at a position. */
export function emojiTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const found = emojiAtEnd(state.sliceDoc(state.doc.lineAt(at).from, at))
  if (found === undefined || state.readOnly || isInCode(state, at)) return undefined
  const { name, sign } = found
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

/** Makes the list focusable, because it scrolls. CodeMirror does not do this. Tab accepts the chosen entry and does not move the focus. */
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
    // The menus share one source. With several sources, Enter would begin a new line while one of them is still loading, although another has entries.
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

/** Escape cancels a menu that is still loading, but still has its usual effect, so that a following Tab leaves the text. */
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

/**
 * Asks for the entries again when rights arrive, because a menu may be open or may have found nothing. Asks for them also at the start, for a slash
 * that a person typed while this code was still loading.
 */
const asksAgain = (onChange: OnChange): Extension =>
  ViewPlugin.define((view) => {
    const ask = (): void => {
      if (isBehindSlash(view.state)) startCompletion(view)
    }
    // A plugin cannot change the state while it is created.
    const starting = setTimeout(() => {
      if (revealed(view).length > 0) ask()
    })
    const stop = onChange(ask)
    return {
      destroy() {
        clearTimeout(starting)
        stop()
      }
    }
  })

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
