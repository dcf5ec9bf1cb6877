/** The title of an open document: as its text says, else as it was given, else as it was when it was seen last. */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type * as Y from 'yjs'
import { headingUnitsMax, type TextTitle, titleIn, titleOfText } from '../../shared/names.ts'
import { t } from '../text/t.ts'
import type { Answer } from './answer.ts'
import { beginning } from './beginning.ts'

/** The parts of a title that the text gives, read at most every 300 ms. */
function followTitles(text: Y.Text): ReadonlySignal<TextTitle> {
  const titles = signal<TextTitle>({ set: undefined, heading: undefined, line: undefined })
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = (): void => {
    timer = undefined
    titles.value = titleIn(beginning(text, headingUnitsMax))
  }
  text.observe(() => (timer ??= setTimeout(read, 300)))
  return titles
}

export interface Title {
  readonly title: ReadonlySignal<string>
  /** The title that the front matter of its text sets, which comes before the given one. */
  readonly setTitle: ReadonlySignal<string | undefined>
}

export function followTitle(text: Y.Text, { called, givenTitle }: Answer): Title {
  const titles = followTitles(text)
  const title = computed(() => {
    const before = called.value === 'Untitled' ? '' : called.value
    return titleOfText(titles.value, givenTitle.value) ?? (before || t('Untitled'))
  })
  return { title, setTitle: computed(() => titles.value.set) }
}
