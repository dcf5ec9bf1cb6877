/** The fields for the end of a link: a choice, and a date if the person chooses one. */
import type { JSX } from 'preact'
import { t } from '../text/t.ts'
import { dayWords } from '../text/when.ts'
import { Choice } from '../ui/choice.tsx'
import { dayOf, expiries, type Expiry, type LinkEnd } from './expiry.ts'

interface EndFieldInput extends LinkEnd {
  /** The present end of an existing link, ISO 8601. */
  readonly present?: string | undefined
  readonly onChange: (part: Partial<LinkEnd>) => void
}

export function EndField({ expiry, day, present, onChange }: EndFieldInput): JSX.Element {
  const values = Object.keys(expiries) as Expiry[]
  return (
    <>
      <label class='field'>
        <span>{t('Ends')}</span>
        <Choice
          value={expiry}
          values={present === undefined ? values : ['keep' as const, ...values]}
          words={(name) => (name === 'keep' ? dayWords(Date.parse(present ?? '')) : t(expiries[name]))}
          onChoose={(name) => onChange({ expiry: name })}
        />
      </label>
      {expiry === 'date' && (
        <label class='field'>
          <span>{t('End date')}</span>
          <input
            type='date'
            required
            min={dayOf(Date.now())}
            value={day}
            onInput={(event: Event) => onChange({ day: (event.target as HTMLInputElement).value })}
          />
        </label>
      )}
    </>
  )
}
