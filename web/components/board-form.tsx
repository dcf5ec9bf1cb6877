/** A card while it is written: title, who has it, tags, details. Written as one step. */
import type { JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Board, type Card, type CardPlace, detailsOf, parseBoard } from '../../shared/fences/board.ts'
import { addTag, removeTag, renameCard, setAssignee, setDetails } from '../../shared/fences/board-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import type { Deeds } from './board-deeds.ts'
import type { ComponentInput } from './input.ts'
import { namesAround } from './names.ts'

interface CardFormInput {
  readonly card: Card
  readonly input: ComponentInput
  readonly deeds: Deeds
}

const namesIn = (text: string): string[] =>
  [...new Set(text.split(/[\s,]+/).map((name) => name.replace(/^#/, '')))].filter((name) => name !== '')

/** Changes of the parts of one card, which stand apart. */
function editsOf(board: Board, place: CardPlace, said: Readonly<Record<'title' | 'person' | 'tags' | 'details', string>>): Edit[] {
  const card = board.columns[place.column]?.cards[place.card]
  if (card === undefined) return []
  const person = said.person.trim().replace(/^@/, '')
  const [tags, wanted] = [card.tags.map(({ name }) => name), namesIn(said.tags)]
  return [
    ...(said.title.trim() === card.title.text ? [] : renameCard(board, place, said.title)),
    ...(person === (card.assignees[0]?.name ?? '') ? [] : setAssignee(board, place, person === '' ? undefined : person)),
    ...tags.filter((tag) => !wanted.includes(tag)).flatMap((tag) => removeTag(board, place, tag)),
    ...wanted.filter((tag) => !tags.includes(tag)).flatMap((tag) => addTag(board, place, tag)),
    ...(said.details.trimEnd() === detailsOf(card) ? [] : setDetails(board, place, said.details))
  ].toSorted((one, other) => one.from - other.from)
}

export function CardForm({ card, input, deeds }: CardFormInput): JSX.Element {
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const { columns } = parseBoard(input.fence.peek())
  const people = namesAround(
    input.page,
    columns.flatMap(({ cards }) => cards.flatMap(({ assignees }) => assignees.map(({ name }) => name)))
  )
  useLayoutEffect(() => {
    const title = form.current?.querySelector('input')
    title?.focus()
    title?.select()
  }, [])
  useEffect(() => {
    deeds.hold(card)
    return () => deeds.hold(undefined)
  }, [])
  const close = (): void => {
    const item = form.current?.closest('li')
    deeds.editing.value = undefined
    const place = item?.dataset['place']
    const list = item?.closest('.board-live')
    requestAnimationFrame(() => list?.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus())
  }
  const save = (event: Event): void => {
    event.preventDefault()
    if (form.current === null) return
    const data = new FormData(form.current)
    const text = (name: string): string => String(data.get(name) ?? '')
    const said = { title: text('title'), person: text('person'), tags: text('tags'), details: text('details') }
    deeds.change(card, (board, place) => editsOf(board, place, said))
    close()
  }
  return (
    <form
      class='card-form'
      ref={form}
      onSubmit={save}
      onInput={() => deeds.hold(card)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      <label>
        {t('Card')}
        <input class='field' name='title' dir='auto' defaultValue={card.title.text} required />
      </label>
      <label>
        {t('Who has it')}
        <input class='field' name='person' list={id} defaultValue={card.assignees[0]?.name ?? ''} />
        <datalist id={id}>
          {people.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {t('Tags')}
        <input class='field' name='tags' defaultValue={card.tags.map(({ name }) => name).join(' ')} />
      </label>
      <label>
        {t('Details')}
        <textarea class='field' name='details' rows={2} dir='auto' defaultValue={detailsOf(card)} />
      </label>
      <div class='card-form-actions'>
        <button type='submit' class='frame-button primary'>
          {t('Save')}
        </button>
        <button type='button' class='frame-button' onClick={close}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  )
}
