/** The field for a person's own name. */
import type { InputHTMLAttributes, JSX } from 'preact'
import { nameUnitsMax } from './person.ts'

interface NameFieldInput extends Pick<InputHTMLAttributes<HTMLInputElement>, 'value' | 'autoFocus' | 'onInput' | 'onChange'> {
  readonly label: string
  readonly class?: string
}

export const NameField = ({ label, class: look = 'field', ...input }: NameFieldInput): JSX.Element => (
  <label class={look}>
    <span>{label}</span>
    <input type='text' maxLength={nameUnitsMax} autocomplete='name' {...input} />
  </label>
)
