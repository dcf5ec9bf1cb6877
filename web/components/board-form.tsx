/** The form of a card: title, assignee, tags, details. Saving it is one step. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { wordsOf } from '../../shared/components/board.ts'
import { type Board, type Card, type CardPlace, detailsOf, parseBoard } from '../../shared/fences/board.ts'
import { addCard, addTag, removeTag, renameCard, setAssignee, setDetails } from '../../shared/fences/board-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import type { Deeds, Draft, Said } from './board-deeds.ts'
import { WhichStays } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import { namesAround } from '../presence/mention-names.ts'

interface CardFormInput {
  readonly draft: Draft
  readonly input: ComponentInput
  readonly deeds: Deeds
}

const namesIn = (text: string): string[] =>
  [...new Set(text.split(/[\s,]+/).map((name) => name.replace(/^#/, '')))].filter((name) => name !== '')

const parts = ['title', 'person', 'tags', 'details'] as const

const saidBy = (card: Card): Said => ({
  title: card.title.text,
  person: card.assignees[0]?.name ?? '',
  tags: card.tags.map(({ name }) => name).join(' '),
  details: detailsOf(card)
})

const plain = ({ title, person, tags, details }: Said): Said => ({
  title: title.trim(),
  person: person.trim().replace(/^@/, ''),
  tags: namesIn(tags).join(' '),
  details: details.trimEnd()
})

/** Returns the source of a card, to insert or to copy. */
const writtenCard = (said: Said): string => {
  const { title, person, tags, details } = plain(said)
  const labels = [...(person === '' ? [] : [`@${person}`]), ...namesIn(tags).map((tag) => `#${tag}`)]
  return [[title, ...labels].join(' '), ...(details === '' ? [] : [details])].join('\n')
}

/** Returns the separate edits that change the parts of one card. */
function editsOf(board: Board, place: CardPlace, said: Said): Edit[] {
  const card = board.columns[place.column]?.cards[place.card]
  if (card === undefined) return []
  const { person } = plain(said)
  const [tags, wanted] = [card.tags.map(({ name }) => name), namesIn(said.tags)]
  return [
    ...(said.title.trim() === card.title.text ? [] : renameCard(board, place, said.title)),
    ...(person === (card.assignees[0]?.name ?? '') ? [] : setAssignee(board, place, person === '' ? undefined : person)),
    ...tags.filter((tag) => !wanted.includes(tag)).flatMap((tag) => removeTag(board, place, tag)),
    ...wanted.filter((tag) => !tags.includes(tag)).flatMap((tag) => addTag(board, place, tag)),
    ...(said.details.trimEnd() === detailsOf(card) ? [] : setDetails(board, place, said.details))
  ].toSorted((one, other) => one.from - other.from)
}

export function CardForm({ draft, input, deeds }: CardFormInput): JSX.Element {
  const { begun, card, place, isGone, written } = draft
  const form = useRef<HTMLFormElement>(null)
  /** How often saving led to a question that is still open. */
  const asks = useSignal(0)
  const id = useId()
  const { columns } = parseBoard(input.fence.peek())
  const people = namesAround(
    input.page,
    columns.flatMap(({ cards }) => cards.flatMap(({ assignees }) => assignees.map(({ name }) => name)))
  )
  useLayoutEffect(() => {
    // In another column the form continues where it was.
    if (written.said !== undefined) return
    written.said = saidBy(begun)
    const title = form.current?.querySelector('input')
    title?.focus()
    title?.select()
  }, [])
  // A person who saves sees what prevents it, the second time as well.
  useLayoutEffect(() => {
    if (asks.value > 0) form.current?.querySelector<HTMLElement>('.draft-question')?.focus()
  }, [asks.value])
  const held = isGone ? undefined : card
  useEffect(() => {
    deeds.hold(held)
    return () => deeds.hold(undefined)
  }, [held && wordsOf(held)])
  /** Fields hold what is typed without being drawn again. */
  const now = (): Said => written.said ?? saidBy(begun)
  const said = now()
  const partNames = { title: t('Card'), person: t('Assignee'), tags: t('Tags'), details: t('Details') }
  /** Fields that both this person and others changed. */
  const [before, theirs] = [saidBy(begun), saidBy(card)]
  const contested = (mine: Said): (keyof Said)[] =>
    parts.filter((part) => mine[part] !== before[part] && theirs[part] !== before[part] && theirs[part] !== mine[part])

  const close = (): void => {
    const item = form.current?.closest('li')
    deeds.draft.value = undefined
    const name = item?.dataset['place']
    const list = item?.closest('.board-live')
    requestAnimationFrame(() => list?.querySelector<HTMLElement>(`[data-place="${name}"]`)?.focus())
  }
  /** Writes this person's changes; fields that only others changed keep theirs. */
  const write = (mine: Said, left: readonly (keyof Said)[]): void => {
    const kept = (part: keyof Said): string => (mine[part] === before[part] || left.includes(part) ? theirs[part] : mine[part])
    let isThere = false
    deeds.change(card, (board, at) => {
      isThere = true
      return editsOf(board, at, { title: kept('title'), person: kept('person'), tags: kept('tags'), details: kept('details') })
    })
    if (isThere) close()
  }
  const save = (event: Event): void => {
    event.preventDefault()
    const mine = plain(now())
    if (isGone) {
      const column = Math.min(place.column, columns.length - 1)
      if (input.act((fence) => addCard(parseBoard(fence), column, writtenCard(mine)))) close()
    } else if (contested(mine).length > 0) asks.value += 1
    else write(mine, [])
  }
  const read = (): void => {
    if (form.current === null) return
    const data = new FormData(form.current)
    const text = (name: string): string => String(data.get(name) ?? '')
    written.said = { title: text('title'), person: text('person'), tags: text('tags'), details: text('details') }
    written.isTouched = true
    asks.value = 0
    if (!isGone) deeds.hold(card)
  }
  const mine = plain(said)
  const asked = asks.value > 0 && !isGone ? contested(mine) : []
  return (
    <form
      class='card-form'
      ref={form}
      onSubmit={save}
      onInput={read}
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
      <label>
        {t('Card')}
        <input class='field' name='title' dir='auto' defaultValue={said.title} required />
      </label>
      <label>
        {t('Assignee')}
        <input class='field' name='person' list={id} defaultValue={said.person} />
        <datalist id={id}>
          {people.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {t('Tags')}
        <input class='field' name='tags' defaultValue={said.tags} />
      </label>
      <label>
        {t('Details')}
        <textarea class='field' name='details' rows={2} dir='auto' defaultValue={said.details} />
      </label>
      {asked.length > 0 && (
        <WhichStays
          changed={asked.map((part) => ({ name: partNames[part], mine: mine[part], theirs: theirs[part] }))}
          onMine={() => write(mine, [])}
          onTheirs={() => write(mine, asked)}
        />
      )}
      <div class='card-form-actions'>
        <button type='submit' class='frame-button primary' disabled={isGone && columns.length === 0}>
          {isGone ? t('Add as a new card') : t('Save')}
        </button>
        {isGone && (
          <button type='button' class='frame-button' onClick={() => void copyText(writtenCard(now()), t('Card'))}>
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
