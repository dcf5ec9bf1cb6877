/**
 * The title of an open document. It is the title in the front matter, the title that the owner gave, or the first heading or line, in this order. If
 * there is none, it is the last known title.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type * as Y from 'yjs'
import { headingUnitsMax, type TextTitle, titleIn, titleOfText } from '../../shared/names.ts'
import { t } from '../text/t.ts'
import type { Answer } from './answer.ts'
import { beginning } from './beginning.ts'

/** Reads the parts of a title from the text, at most once every 300 ms. */
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
  /** The title in the front matter of the text. It takes precedence over the given title. */
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
