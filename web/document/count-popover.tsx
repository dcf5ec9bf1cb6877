/** The word count of the status line, and its popover with figures for the text or the selection, which are computed when it opens. */
import type { EditorState } from '@codemirror/state'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { countCharacters, countDocument, countSelected, selectedText } from '../editor/count.ts'
import { t, tn } from '../text/t.ts'
import type { Page } from '../commands/page.ts'
import type { Mode } from '../view/view.ts'

/** Reading speed in words per minute, for silent reading (Brysbaert 2019). */
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
  const text = main.empty ? state.doc : selectedText(state)
  const words = main.empty ? countDocument(text) : countSelected(state)
  return { selected: !main.empty, words, characters: countCharacters(text), lines: text.lines }
}

/** Returns the number of words. The reading view ignores the selection, because it is not a selection in the editor. */
export function wordsOf(state: EditorState, mode: Mode): string {
  const all = countDocument(state.doc)
  if (state.selection.main.empty || mode === 'read') return tn(all, '1 word', '{count} words')
  return tn(all, '{some} of 1 word', '{some} of {count} words', { some: countSelected(state) })
}

const minutes = (words: number): string => tn(Math.max(1, Math.round(words / wordsPerMinute)), '1 minute', '{count} minutes')

export function Count({ view }: { view: Page }): JSX.Element | null {
  const [measured] = useState(() => measure(view))
  if (measured === undefined) return null
  const row = (name: string, value: string): JSX.Element => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
  return (
    <>
      <p class='muted'>{measured.selected ? t('Selection') : t('Whole text')}</p>
      <dl class='tabular'>
        {row(t('Words'), t('{count}', { count: measured.words }))}
        {row(t('Characters'), t('{count}', { count: measured.characters }))}
        {row(t('Lines'), t('{count}', { count: measured.lines }))}
        {row(t('Reading time'), minutes(measured.words))}
      </dl>
    </>
  )
}
