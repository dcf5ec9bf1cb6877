/** The menu of a block, with actions on all blocks that the selection touches. It loads when it first opens. */
import type { EditorState } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { render, type JSX } from 'preact'
import { calloutKinds, calloutMarker, calloutName } from '../../../shared/markdown/callouts.ts'
import { Pop, PopItem } from '../../ui/pop.tsx'
import { t, term } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { asOneStep } from '../binding.ts'
import { chosenBlocks, deleteBlock, duplicateBlock, isMovable, moveBlock } from './commands.ts'
import { turnInto } from './turn.ts'
import { kindOf, type Kind } from './turn-rows.ts'
import type { Unit } from './units.ts'

/** The kinds that a block can become, in order. */
const kinds: readonly (readonly [Kind, string])[] = [
  ['text', term('Text')],
  ['heading.1', term('Heading 1')],
  ['heading.2', term('Heading 2')],
  ['heading.3', term('Heading 3')],
  ['list.bullet', term('Bulleted list')],
  ['list.number', term('Numbered list')],
  ['list.task', term('Task list')],
  ['insert.details', term('Collapsible text')],
  ['quote', term('Quote')],
  ['insert.callout', term('Callout')],
  ['insert.code', term('Code block')]
]

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

/** Returns the range of the kind in the label of a callout, such as `NOTE`. Undefined if the block is no callout. */
function calloutKindIn({ doc }: EditorState, { from }: Unit): { readonly from: number; readonly to: number } | undefined {
  const text = doc.sliceString(from, doc.lineAt(from).to)
  const start = /^(?:>[ \t]*)*/.exec(text)?.[0].length ?? 0
  const kind = calloutMarker.exec(text.slice(start))?.[1]
  const at = from + start + '[!'.length
  return kind === undefined ? undefined : { from: at, to: at + kind.length }
}

/** Offers the other kinds of a callout. */
function CalloutKinds({ view, unit }: { view: EditorView; unit: Unit }): JSX.Element | null {
  const range = calloutKindIn(view.state, unit)
  if (range === undefined) return null
  const own = view.state.sliceDoc(range.from, range.to).toLowerCase()
  const write = (kind: string): void =>
    asOneStep(view, () => view.dispatch({ changes: { ...range, insert: kind.toUpperCase() }, userEvent: 'input.callout' }))
  return (
    <div role='group' aria-label={t('Callout')}>
      <div class='pop-section' aria-hidden='true'>
        {t('Callout')}
      </div>
      {calloutKinds.map(
        (kind) =>
          kind !== own && (
            <PopItem key={kind} onChoose={() => write(kind)}>
              {t(calloutName(kind))}
            </PopItem>
          )
      )}
    </div>
  )
}

interface MenuInput {
  readonly view: EditorView
  readonly units: readonly Unit[]
  readonly anchor: HTMLElement
  readonly onClose: () => void
}

function Menu({ view, units, anchor, onClose }: MenuInput): JSX.Element {
  const [unit] = units
  const own = units.map((each) => kindOf(view.state, each))
  const isHeading = unit !== undefined && units.length === 1 && own[0]?.startsWith('heading.') === true
  return (
    <Pop label={t('Block')} anchor={anchor} onClose={onClose}>
      {items.map(({ title, run, isPossible }) => (
        <PopItem key={title} disabled={isPossible?.(view) === false} onChoose={() => run(view)}>
          {t(title)}
        </PopItem>
      ))}
      {isHeading && <PopItem onChoose={() => void copyLink(view, unit)}>{t('Copy link')}</PopItem>}
      {unit !== undefined && units.length === 1 && <CalloutKinds view={view} unit={unit} />}
      {own.some((kind) => kind !== undefined) && (
        <div role='group' aria-label={t('Turn into')}>
          <div class='pop-section' aria-hidden='true'>
            {t('Turn into')}
          </div>
          {kinds.map(
            ([kind, title]) =>
              own.some((each) => each !== kind) && (
                <PopItem key={kind} onChoose={() => turnInto(view, kind)}>
                  {t(title)}
                </PopItem>
              )
          )}
        </div>
      )}
    </Pop>
  )
}

/**
 * Opens the menu for the selected blocks, next to `anchor`. When the menu closes, the focus returns to the text. With `isWhole`, the selection is
 * then cleared, so that typing replaces no block.
 */
export function openBlockMenu(view: EditorView, anchor?: HTMLElement, isWhole = false): void {
  const chosen = view.state.readOnly ? undefined : chosenBlocks(view.state)
  if (chosen === undefined) return
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
  const own = units.slice(run.first, run.last + 1)
  render(<Menu view={view} units={own} anchor={anchor ?? line ?? view.contentDOM} onClose={close} />, root)
}
