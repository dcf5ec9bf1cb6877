/** The panel for finding and replacing, at the top of the text. */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  openSearchPanel,
  replaceAll,
  replaceNext,
  search,
  searchKeymap,
  searchPanelOpen,
  setSearchQuery
} from '@codemirror/search'
import { Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap, runScopeHandlers, type Command, type Panel, type ViewUpdate } from '@codemirror/view'
import { signal, type Signal } from '@preact/signals'
import { render, type JSX } from 'preact'
import { handOver } from '../../ui/early-field.ts'
import { t, term, tn } from '../../text/t.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { leftMatch } from '../inserts.ts'
import { coverTop } from './cover.ts'
import { drawnMarks } from './drawn.ts'
import { isLive } from '../is-live.ts'
import { moveByTab } from './tab-order.ts'
import { count, countAll, goToMatch, isAtMatch, readFurther, setWithin, want, wanted, within, type Count, type Wanted } from './query.ts'

/** Shortest time between two counts, in milliseconds. Counting the matches of a long document is slow. */
const countMs = 120

interface Shown {
  readonly wanted: Wanted
  readonly valid: boolean
  readonly found: Count | undefined
  readonly isWithin: boolean
  /** Number of matches that were just replaced. Undefined once the query or the text changes. */
  readonly replaced: number | undefined
}

/** Whether the row for replacing is open. The next panel opens in the same state. */
const replacing = signal(false)

interface Option {
  readonly name: 'caseSensitive' | 'wholeWord' | 'regexp'
  readonly sign: string
  readonly title: string
}

const options: readonly Option[] = [
  { name: 'caseSensitive', sign: 'Aa', title: term('Match case') },
  { name: 'wholeWord', sign: 'ab', title: term('Whole words') },
  { name: 'regexp', sign: '.*', title: term('Regular expression') }
]

function countWords({ wanted: { search: text }, valid, found, replaced }: Shown): string {
  if (replaced !== undefined) return tn(replaced, '1 replaced', '{count} replaced')
  if (text === '') return ''
  if (!valid) return t('Invalid expression')
  if (found === undefined || found.total === 0) return t('Nothing found')
  const total = found.more ? t('{count}+', { count: found.total }) : t('{count}', { count: found.total })
  return found.current === 0 ? t('{total} found', { total }) : t('{current} of {total}', { current: found.current, total })
}

function FindPanel({ view, shown }: { view: EditorView; shown: Signal<Shown> }): JSX.Element {
  const { wanted: now, valid, isWithin } = shown.value
  const canWrite = !view.state.readOnly
  const run = (command: Command) => (): void => void command(view)
  const change = (name: 'search' | 'replace') => (event: Event) => {
    want(view, { [name]: (event.target as HTMLInputElement).value })
    if (name === 'search') goToMatch(view)
  }
  const press = (command: Command, other: Command) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    void (event.shiftKey ? other : command)(view)
  }
  const replaceEvery = (): void => {
    const replaced = countAll(view.state)
    if (replaceAll(view)) shown.value = { ...shown.peek(), replaced }
  }
  const toggleWithin = (): void => {
    const { from, to } = view.state.selection.main
    view.dispatch({ effects: setWithin.of(isWithin || from === to ? undefined : { from, to }) })
    want(view, {})
  }
  return (
    <>
      <div class='find-row'>
        <IconButton
          icon={replacing.value ? 'chevron-down' : 'chevron-right'}
          label={t('Replace')}
          size={18}
          class='find-more'
          aria-expanded={replacing.value}
          disabled={!canWrite}
          onClick={() => {
            replacing.value = !replacing.value
            // The field exists only after the row has been drawn.
            setTimeout(() => view.dom.querySelector<HTMLInputElement>('.find [name=replacement]')?.focus())
          }}
        />
        <div class='find-field'>
          <input
            type='text'
            aria-label={t('Find')}
            placeholder={t('Find')}
            main-field='true'
            aria-invalid={now.search !== '' && !valid}
            autocomplete='off'
            spellcheck={false}
            value={now.search}
            onInput={change('search')}
            onKeyDown={press(findNext, findPrevious)}
          />
          <span class='find-options' role='group' aria-label={t('Search options')}>
            {options.map(({ name, sign, title }) => (
              <button
                key={name}
                type='button'
                class='find-option'
                data-sign={sign}
                aria-pressed={now[name]}
                aria-label={t(title)}
                title={t(title)}
                onClick={() => want(view, { [name]: !now[name] })}
              />
            ))}
          </span>
        </div>
        <span class='find-count tabular' role='status'>
          {countWords(shown.value)}
        </span>
        <IconButton icon='arrow-up' label={t('Previous match')} size={18} onClick={run(findPrevious)} />
        <IconButton icon='arrow-down' label={t('Next match')} size={18} onClick={run(findNext)} />
        <IconButton
          icon='text-select'
          label={t('Find in selection')}
          size={18}
          aria-pressed={isWithin}
          disabled={!isWithin && view.state.selection.main.empty}
          onClick={toggleWithin}
        />
        <IconButton icon='x' label={t('Close')} size={18} onClick={run(closeSearchPanel)} />
      </div>
      {replacing.value && canWrite && (
        <div class='find-row'>
          <span class='find-more' />
          <div class='find-field'>
            <input
              type='text'
              name='replacement'
              aria-label={t('Replace with')}
              placeholder={t('Replace with')}
              autocomplete='off'
              value={now.replace}
              onInput={change('replace')}
              onKeyDown={press(replaceNext, replaceNext)}
            />
          </div>
          <button type='button' class='button' onClick={run(replaceNext)}>
            {t('Replace')}
          </button>
          <button type='button' class='button' onClick={replaceEvery}>
            {t('Replace all')}
          </button>
        </div>
      )}
    </>
  )
}

function createPanel(view: EditorView): Panel {
  const read = (): Shown => ({
    wanted: wanted(view.state),
    valid: getSearchQuery(view.state).valid,
    found: count(view.state),
    isWithin: view.state.field(within, false) !== undefined,
    replaced: undefined
  })
  const shown = signal<Shown>(read())
  const dom = document.createElement('div')
  dom.className = 'find'
  dom.setAttribute('role', 'search')
  dom.setAttribute('aria-label', t('Find and replace'))
  dom.addEventListener('keydown', (event) => {
    if (runScopeHandlers(view, event, 'search-panel')) event.preventDefault()
    else moveByTab(dom, event)
  })
  render(<FindPanel view={view} shown={shown} />, dom)
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = (): void => {
    timer = readFurther(view.state) ? undefined : setTimeout(refresh, countMs)
    shown.value = { ...read(), replaced: shown.peek().replaced }
    marks.mark()
  }
  const refreshLater = (): void => void (timer ??= setTimeout(refresh, countMs))
  const marks = drawnMarks(view, refreshLater)
  const uncover = coverTop(view, dom)
  return {
    dom,
    top: true,
    mount: () => dom.querySelector<HTMLInputElement>('[main-field]')?.select(),
    update(update: ViewUpdate) {
      const asked = update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(setSearchQuery)))
      if ((asked || update.docChanged) && shown.peek().replaced !== undefined) shown.value = { ...shown.peek(), replaced: undefined }
      if (asked) shown.value = { ...shown.peek(), wanted: wanted(view.state), valid: getSearchQuery(view.state).valid }
      const isOtherView = isLive(update.startState) !== isLive(update.state)
      if (asked || isOtherView || update.geometryChanged || update.selectionSet) refreshLater()
    },
    destroy() {
      clearTimeout(timer)
      marks.close()
      uncover()
      render(null, dom)
    }
  }
}

/** Opens the panel or focuses its field. A selection of several lines becomes the search range, and a shorter one becomes the query. */
export function openFind(view: EditorView, replace: boolean): void {
  replacing.value = replace || (replacing.value && searchPanelOpen(view.state))
  const { from, to } = view.state.selection.main
  const lines = view.state.doc.lineAt(to).number - view.state.doc.lineAt(from).number
  view.dispatch({ effects: setWithin.of(lines > 0 ? { from, to } : undefined) })
  openSearchPanel(view)
  want(view, {})
  const field = view.dom.querySelector<HTMLInputElement>('.find [main-field]')
  if (field !== null) handOver(field)
}

const closed = EditorView.updateListener.of(({ startState, state, view }) => {
  if (!searchPanelOpen(startState) || searchPanelOpen(state)) return
  const effects = [
    ...(state.field(within, false) === undefined ? [] : [setWithin.of(undefined)]),
    ...(isAtMatch(state) ? [leftMatch.of(null)] : [])
  ]
  if (effects.length > 0) queueMicrotask(() => view.dispatch({ effects }))
})

export const finding: Extension = [
  within,
  search({ top: true, createPanel, scrollToMatch: (range) => EditorView.scrollIntoView(range, { y: 'center' }) }),
  // The page binds Mod-F itself.
  Prec.low(keymap.of(searchKeymap.filter(({ key }) => key !== 'Mod-f' && key !== 'Mod-Alt-g'))),
  closed
]
