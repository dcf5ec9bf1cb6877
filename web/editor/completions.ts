/**
 * Menus that open while one writes: blocks after `/`, emoji after `:`. What others write meanwhile moves the menu and does not close it
 * (CodeMirror's completion maps its place).
 */
import {
  acceptCompletion,
  autocompletion,
  completionStatus,
  type Completion,
  type CompletionContext,
  type CompletionResult
} from '@codemirror/autocomplete'
import { Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { best } from '../commands/match.ts'
import { drawIcon } from './draw-icon.ts'
import { emoji } from './emoji.ts'
import { isInCode } from './in-code.ts'

/** An entry of the menu of blocks. */
export interface BlockEntry {
  readonly title: string
  /** Other words by which it is found. */
  readonly words: string
  readonly section: string
  /** Path data of its icon. */
  readonly icon: string
  run(): void
}

const drop = (view: EditorView, from: number, to: number): void => view.dispatch({ changes: { from, to }, userEvent: 'delete.completion' })

interface Shown extends Completion {
  readonly drawing?: string
  readonly sign?: string
}

/**
 * One option for each entry, whatever is typed: CodeMirror keeps what is chosen in the menu by the option itself, and an answer that comes
 * after an arrow key would otherwise choose the first again.
 */
const made = new WeakMap<BlockEntry, Shown>()

function optionOf(entry: BlockEntry): Shown {
  const known = made.get(entry)
  if (known !== undefined) return known
  const option: Shown = {
    label: entry.title,
    drawing: entry.icon,
    apply: (view, _completion, from, to) => {
      // The slash too.
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

const allMade = new WeakMap<readonly BlockEntry[], Shown[]>()

/** All in their sections. */
function allOptions(entries: readonly BlockEntry[]): Shown[] {
  const known = allMade.get(entries)
  if (known !== undefined) return known
  const names = [...new Set(entries.map(({ section }) => section))]
  const sections = new Map(names.map((name, rank) => [name, { name, rank, header: () => sectionHead(name) }]))
  const options = entries.map((entry) => ({ ...optionOf(entry), section: sections.get(entry.section) ?? entry.section }))
  allMade.set(entries, options)
  return options
}

/** All; once something is typed, what fits it, the best first. */
const optionsFor = (query: string, entries: readonly BlockEntry[]): Shown[] =>
  query === '' ? allOptions(entries) : best(query, entries, ({ title, words }) => [title, words]).map(optionOf)

function blocksAt(context: CompletionContext, entries: readonly BlockEntry[]): CompletionResult | null {
  const found = context.matchBefore(/(?:^|\s)\/[\p{L}\d ]{0,24}$/u)
  if (found === null || context.state.readOnly || isInCode(context.state, context.pos)) return null
  const query = found.text.slice(found.text.indexOf('/') + 1)
  const options = optionsFor(query, entries)
  if (options.length === 0) return null
  // At once, with the key that changes it: the next key finds what is seen.
  return { from: context.pos - query.length, options, filter: false, update: (_result, _from, _to, now) => blocksAt(now, entries) }
}

const signs: readonly Shown[] = emoji.map(([name, sign]) => ({
  label: name,
  sign,
  apply: (view, _completion, from, to) => {
    // A colon after the name is part of it.
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

function signOf(sign: string): Node {
  const made = document.createElement('span')
  made.className = 'menu-sign'
  made.textContent = sign
  return made
}

/** The list scrolls, so that it must be able to take the focus; CodeMirror makes one that cannot. Tab takes what is chosen, not the focus. */
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

const menus = (entries: readonly BlockEntry[]): Extension =>
  autocompletion({
    // One source: while a second one is still asked, Enter would be a new line and not what is chosen in the menu of the first.
    override: [(context) => blocksAt(context, entries) ?? emojiByName(context)],
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

export const completions = (entries: readonly BlockEntry[]): Extension => [
  menus(entries),
  focusable,
  Prec.highest(keymap.of([{ key: 'Tab', run: acceptCompletion }]))
]
