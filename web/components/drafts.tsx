/** Keeps the draft of a component when others change or remove the part that is being edited, or the parts around it. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { offer } from '../ui/toast.tsx'

/** Keeps the focus and the selection of the current field when its form is drawn in another place. `drafts` is the CSS selector of the forms. */
export function useKeptFocus(element: RefObject<HTMLElement | null>, drafts: string): void {
  const root = element.current?.getRootNode()
  const active = root instanceof ShadowRoot ? root.activeElement : null
  const isField = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement
  const field = isField && element.current?.contains(active) === true && active.closest(drafts) !== null ? active : undefined
  const [from, to] = [field?.selectionStart ?? null, field?.selectionEnd ?? null]
  useLayoutEffect(() => {
    if (field === undefined || (root as ShadowRoot).activeElement === field) return
    const now = element.current?.querySelector<HTMLInputElement>(`${drafts} [name="${field.name}"]`)
    now?.focus()
    now?.setSelectionRange(from, to)
  })
}

export interface ChangedPart {
  readonly name: string
  readonly mine: string
  readonly theirs: string
}

interface QuestionInput {
  readonly changed: readonly ChangedPart[]
  readonly onMine: () => void
  readonly onTheirs: () => void
}

/** Asks the author of a draft which version to use after others have changed the same part. */
export const WhichStays = ({ changed, onMine, onTheirs }: QuestionInput): JSX.Element => (
  <p class='draft-asked draft-question' role='alert' tabIndex={-1}>
    {changed.map(({ name, mine, theirs }) => (
      <span key={name}>{t('{cell} was changed to “{theirs}” while you wrote “{mine}”.', { cell: name, theirs, mine })} </span>
    ))}
    {t('Nothing is saved yet. Choose which version to keep.')}{' '}
    <button type='button' class='link' onClick={onMine}>
      {t('Keep mine')}
    </button>{' '}
    <button type='button' class='link' onClick={onTheirs}>
      {t('Keep theirs')}
    </button>
  </p>
)

/** Maximum length of lost text in a notice, in UTF-16 units. Its button copies all of it. */
const shownUnits = 200

/** Offers text that was typed into a component which others have removed. Does nothing if there is no text. */
export function offerLost(words: string | undefined): void {
  if (words === undefined || words.trim() === '') return
  const text = t('The component is gone, so your text could not be saved: “{words}”', {
    words: words.length > shownUnits ? `${words.slice(0, shownUnits)}…` : words
  })
  offer(text, t('Copy'), () => void copyText(words, t('Text')))
}

interface GoneInput {
  readonly words: string
  readonly part: 'cell' | 'column'
  /** Other buttons next to "Copy". */
  readonly children?: ComponentChildren
  readonly onClose: () => void
}

/** Shows a draft whose column or cell was removed by someone else. */
export function GoneWords({ words, part, children, onClose }: GoneInput): JSX.Element {
  const element = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    // The focused field was removed, so the message takes the focus. The field of a cell may stay for another cell, which must not get the next keys.
    const { current } = element
    if (part === 'cell' || (current?.getRootNode() as ShadowRoot | undefined)?.activeElement === null) current?.focus()
  }, [])
  return (
    <p class='draft-asked draft-gone' role='alert' tabIndex={-1} ref={element}>
      {part === 'cell'
        ? t('Someone deleted this cell. Your text: “{words}”', { words })
        : t('Someone deleted this column. Your text: “{words}”', { words })}{' '}
      {children}
      <button type='button' class='link' onClick={() => void copyText(words, t('Text'))}>
        {t('Copy')}
      </button>{' '}
      <button type='button' class='link' onClick={onClose}>
        {t('Discard')}
      </button>
    </p>
  )
}
