/** The menu of a block, with actions on all blocks that the selection touches. */
import { Facet, type EditorState } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { render, type JSX } from 'preact'
import { Pop, PopItem } from '../../ui/pop.tsx'
import { t, term } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { chosenBlocks, deleteBlock, duplicateBlock, isMovable, moveBlock } from './commands.ts'
import type { Unit } from './units.ts'

/** A page command that changes the kind of a block. */
export interface Turn {
  readonly title: string
  readonly run: () => void
}

/** Returns the command with an id that changes the kind of a block. */
export const turns = Facet.define<(id: string) => Turn, ((id: string) => Turn) | undefined>({ combine: ([find]) => find })

const headings = ['heading.1', 'heading.2', 'heading.3']
const lists = ['list.bullet', 'list.number', 'list.task']

/** Returns the ids of the commands that the menu offers for a block, and the id of the command that makes it plain text. */
function becomes(state: EditorState, { name, from }: Unit): { readonly ids: readonly string[]; readonly plain?: string } {
  const { text } = state.doc.lineAt(from)
  if (name === 'Paragraph') return { ids: [...headings, ...lists, 'quote'] }
  const level = /^#{1,6}(?=[ \t])/.exec(text)?.[0].length
  if (level !== undefined) return { ids: headings.filter((id) => id !== `heading.${level}`), plain: 'heading.none' }
  if (name === 'Blockquote') return { ids: [], plain: 'quote' }
  if (name !== 'ListItem') return { ids: [] }
  const own = /^[ \t]*\d/.test(text) ? 'list.number' : /^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]/.test(text) ? 'list.task' : 'list.bullet'
  return { ids: lists.filter((id) => id !== own), plain: own }
}

/** Runs a command on all lines of a block. A heading command, or a command on a list item, changes only the first line. */
function turn(view: EditorView, { name, from, to }: Unit, id: string): void {
  const isOne = id.startsWith('heading.') || name === 'ListItem'
  const end = isOne ? view.state.doc.lineAt(from).to : to
  view.dispatch({ selection: { anchor: from, head: end }, userEvent: 'select' })
  view.state.facet(turns)?.(id).run()
  view.dispatch({ selection: { anchor: view.state.selection.main.to }, userEvent: 'select' })
}

async function copyLink(view: EditorView, { from }: Unit): Promise<void> {
  const { headingsOf } = await import('../headings.ts')
  const id = headingsOf(view.state.doc).find(({ at }) => at === from)?.id
  if (id !== undefined) await copyText(`${location.origin}${location.pathname}#${id}`, t('Link to this section'))
}

const items: readonly { readonly title: string; readonly run: Command; readonly isPossible?: (view: EditorView) => boolean }[] = [
  { title: term('Move up'), run: moveBlock(-1), isPossible: isMovable(-1) },
  { title: term('Move down'), run: moveBlock(1), isPossible: isMovable(1) },
  { title: term('Duplicate'), run: duplicateBlock },
  { title: term('Delete'), run: deleteBlock }
]

interface MenuInput {
  readonly view: EditorView
  /** The block, or undefined if the selection touches several. */
  readonly unit: Unit | undefined
  readonly anchor: HTMLElement
  readonly onClose: () => void
}

function Menu({ view, unit, anchor, onClose }: MenuInput): JSX.Element {
  const find = view.state.facet(turns)
  const { ids, plain } = unit === undefined ? { ids: [] } : becomes(view.state, unit)
  const isHeading = unit !== undefined && /^(?:ATX|Setext)Heading/.test(unit.name)
  return (
    <Pop label={t('Block')} anchor={anchor} onClose={onClose}>
      {items.map(({ title, run, isPossible }) => (
        <PopItem key={title} disabled={isPossible?.(view) === false} onChoose={() => run(view)}>
          {t(title)}
        </PopItem>
      ))}
      {isHeading && <PopItem onChoose={() => void copyLink(view, unit)}>{t('Copy link')}</PopItem>}
      {unit !== undefined && find !== undefined && (ids.length > 0 || plain !== undefined) && (
        <div role='group' aria-label={t('Turn into')}>
          <div class='pop-section' aria-hidden='true'>
            {t('Turn into')}
          </div>
          {plain !== undefined && <PopItem onChoose={() => turn(view, unit, plain)}>{t('Text')}</PopItem>}
          {ids.map((id) => (
            <PopItem key={id} onChoose={() => turn(view, unit, id)}>
              {find(id).title}
            </PopItem>
          ))}
        </div>
      )}
    </Pop>
  )
}

/**
 * Opens the menu for the selected blocks, next to `anchor`. When the menu closes, the focus returns to the text. With `isWhole`, the selection is
 * then cleared, so that typing replaces no block.
 */
export function openBlockMenu(view: EditorView, anchor?: HTMLElement, isWhole = false): boolean {
  const chosen = view.state.readOnly ? undefined : chosenBlocks(view.state)
  if (chosen === undefined) return false
  const { units, run } = chosen
  const root = document.createElement('div')
  root.className = 'grid-menu'
  ;(view.dom.closest('.paper') ?? document.body).append(root)
  const { node } = view.domAtPos(view.state.selection.main.head)
  const line = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('.cm-line')
  const close = (): void => {
    // The chosen action runs right after the menu closes, so this waits until the action is done.
    setTimeout(() => {
      render(null, root)
      root.remove()
      if (isWhole) view.dispatch({ selection: { anchor: view.state.selection.main.to }, userEvent: 'select' })
      view.focus()
    })
  }
  const unit = run.first === run.last ? units[run.first] : undefined
  render(<Menu view={view} unit={unit} anchor={anchor ?? line ?? view.contentDOM} onClose={close} />, root)
  return true
}
