/** A list from which a person chooses one value. */
import type { JSX, SelectHTMLAttributes } from 'preact'

interface ChoiceInput<Value extends string> extends Pick<SelectHTMLAttributes<HTMLSelectElement>, 'aria-label' | 'class' | 'disabled'> {
  readonly value: Value
  readonly values: readonly Value[]
  /** Returns the words for a value, in the page's language. */
  readonly words: (value: Value) => string
  readonly onChoose: (value: Value) => void
}

export const Choice = <Value extends string>({ values, words, onChoose, ...rest }: ChoiceInput<Value>): JSX.Element => (
  <select {...rest} onChange={(event: Event) => onChoose((event.target as HTMLSelectElement).value as Value)}>
    {values.map((each) => (
      <option key={each} value={each}>
        {words(each)}
      </option>
    ))}
  </select>
)
