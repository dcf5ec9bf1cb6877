/** The length of the text or the selection: the word count in the status line, and more on request. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { countCharacters, countDocument } from '../editor/count.ts'
import { t, tn } from '../text/t.ts'
import type { Page } from '../commands/page.ts'

/** Words per minute of silent reading (Brysbaert 2019). */
const wordsPerMinute = 238

interface Measured {
  readonly selected: boolean
  readonly words: number
  readonly characters: number
  readonly lines: number
}

function measure(page: Page): Measured | undefined {
  const state = page.editor.value?.view.state
  if (state === undefined) return undefined
  const { main } = state.selection
  const text = main.empty ? state.doc : state.doc.slice(main.from, main.to)
  return { selected: !main.empty, words: countDocument(text), characters: countCharacters(text), lines: text.lines }
}

const minutes = (words: number): string => tn(Math.max(1, Math.round(words / wordsPerMinute)), '1 minute', '{count} minutes')

export function CountPopover({ view }: { view: Page }): JSX.Element {
  const measured = useSignal<Measured | undefined>(undefined)
  const row = (name: string, value: string): JSX.Element => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
  const shown = measured.value
  return (
    <>
      <button type='button' class='status-button' popovertarget='count' title={t('Word count')}>
        {view.words.value}
      </button>
      <div
        id='count'
        class='menu count'
        popover='auto'
        role='dialog'
        aria-label={t('Word count')}
        onBeforeToggle={({ newState }: Pick<ToggleEvent, 'newState'>) => {
          if (newState === 'open') measured.value = measure(view)
        }}
      >
        {shown !== undefined && (
          <>
            <p class='muted'>{shown.selected ? t('Selection') : t('Whole text')}</p>
            <dl class='tabular'>
              {row(t('Words'), t('{count}', { count: shown.words }))}
              {row(t('Characters'), t('{count}', { count: shown.characters }))}
              {row(t('Lines'), t('{count}', { count: shown.lines }))}
              {row(t('Reading time'), minutes(shown.words))}
            </dl>
          </>
        )}
      </div>
    </>
  )
}
