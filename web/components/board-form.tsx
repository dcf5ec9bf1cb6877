/** The form of a card with its title, assignee, tags and details. Saving the form is one undo step. */
import type { JSX } from 'preact'
import { useId, useRef } from 'preact/hooks'
import type { BoardEvent, BoardState } from '../../shared/components/board-state.ts'
import { cardSource, contestedParts, partsOf, plainParts } from '../../shared/components/card-draft.ts'
import { namesAround } from '../presence/mention-names.ts'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { WhichStays } from './drafts.tsx'
import type { ComponentInput } from './input.ts'

interface CardFormInput {
  readonly state: BoardState
  readonly draft: NonNullable<BoardState['draft']>
  readonly input: ComponentInput
  readonly dispatch: (event: BoardEvent) => void
}

export function CardForm({ state, draft, input, dispatch }: CardFormInput): JSX.Element {
  const { card, isGone, isAsked } = draft
  const { parts, board } = state
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const { columns } = board
  const isRefused = input.refusal.value !== undefined
  const people = namesAround(
    input.page,
    columns.flatMap(({ cards }) => cards.flatMap(({ assignees }) => assignees.map(({ name }) => name)))
  )
  const partNames = { title: t('Card'), person: t('Assignee'), tags: t('Tags'), details: t('Details') }
  const close = (): void => dispatch({ kind: 'cancel' })
  const read = (): void => {
    if (form.current === null) return
    const data = new FormData(form.current)
    const text = (name: string): string => String(data.get(name) ?? '')
    dispatch({ kind: 'typed', parts: { title: text('title'), person: text('person'), tags: text('tags'), details: text('details') } })
  }
  const [mine, theirs] = [plainParts(parts), partsOf(card)]
  const asked = isAsked && !isGone ? contestedParts(draft, mine) : []
  return (
    <form
      class='card-form'
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        dispatch({ kind: 'save' })
      }}
      onInput={read}
      onMouseDown={(event) => {
        // The second click of a double click on the card lands beside the fields, and must not take the focus from them.
        if (!(event.target as Element).matches('input, textarea, button')) event.preventDefault()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      {isGone && (
        <p class='draft-asked' role='alert'>
          {t('Someone deleted this card. Your text:')}
        </p>
      )}
      {isRefused && (
        <p class='draft-asked' role='alert'>
          {t('You can no longer edit this document. Copy your text before you close the card.')}
        </p>
      )}
      <label>
        {t('Card')}
        <input class='field' name='title' dir='auto' defaultValue={parts.title} required />
      </label>
      <label>
        {t('Assignee')}
        <input class='field' name='person' list={id} defaultValue={parts.person} />
        <datalist id={id}>
          {people.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {t('Tags')}
        <input class='field' name='tags' defaultValue={parts.tags} />
      </label>
      <label>
        {t('Details')}
        <textarea class='field' name='details' rows={2} dir='auto' defaultValue={parts.details} />
      </label>
      {asked.length > 0 && (
        <WhichStays
          changed={asked.map((part) => ({ name: partNames[part], mine: mine[part], theirs: theirs[part] }))}
          onMine={() => dispatch({ kind: 'keep', whose: 'mine' })}
          onTheirs={() => dispatch({ kind: 'keep', whose: 'theirs' })}
        />
      )}
      <div class='card-form-actions'>
        <button type='submit' class='frame-button primary' disabled={isRefused || (isGone && columns.length === 0)}>
          {isGone ? t('Add as a new card') : t('Save')}
        </button>
        {(isGone || isRefused) && (
          <button type='button' class='frame-button' onClick={() => void copyText(cardSource(parts), t('Card'))}>
            {t('Copy')}
          </button>
        )}
        <button type='button' class='frame-button' onClick={close}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  )
}
