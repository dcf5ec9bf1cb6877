/** The side panel with the events of the document: who did what, and when. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { EventFields, EventKind, EventWords } from '../../shared/events.ts'
import { SidePanel } from '../ui/side-panel.tsx'
import { initials } from '../presence/person.ts'
import { failureWords } from '../client/failure.ts'
import { hueOf } from '../presence/colours.ts'
import { locale, t } from '../text/t.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { actorWords, countWords, eventWords, excerptOf, subjectOf } from './event-words.ts'
import type { FeedEvent } from './event.ts'
import type { Feed, FeedView } from './feed.ts'
import { groupByDay, undoneRestores, withoutRepeats, type Entry } from './groups.ts'
import { agree } from './verbs.ts'

const joined = (names: string[]): string => new Intl.ListFormat(locale).format(names)

const timeWords = (instant: number): string => new Date(instant).toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' })

function dayTitle(start: number): string {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - start) / 86_400_000)
  if (days === 0 || days === 1) {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day')
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1)
  }
  const year = new Date(start).getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const }
  return new Date(start).toLocaleDateString(locale, { weekday: 'long', day: 'numeric', month: 'long', ...year })
}

function Avatar({ name, kind }: { name: string; kind: 'person' | 'agent' | 'service' }): JSX.Element {
  return (
    <span class={`avatar hue-${hueOf(name)} ${kind}`} aria-hidden='true'>
      {kind === 'agent' ? <Icon name='bot' size={16} /> : initials(name)}
    </span>
  )
}

/** Returns a function that shows the comment or suggestion of an event; undefined if it no longer exists. */
function placeOf({ review }: FeedView, { payload }: FeedEvent): (() => void) | undefined {
  const open = review.value
  const { commentId, suggestionId }: EventFields = payload
  const id = commentId ?? suggestionId
  if (open === undefined || id === undefined) return undefined
  return open.items.value.some((item) => item.id === id) ? () => open.show(id, 'card') : undefined
}

/** Returns the text of the comment or suggestion of an event, as far as the page knows it. */
function wordsHere({ review }: FeedView, { payload }: FeedEvent): EventWords {
  const { commentId, suggestionId, replyId }: EventFields = payload
  const item = review.value?.items.value.find(({ id }) => id === (commentId ?? suggestionId))
  if (item?.kind === 'comment') {
    const { comment } = item.thread
    const body = replyId === undefined ? comment.body : comment.replies.find(({ id }) => id === replyId)?.body
    return body === undefined ? {} : { body }
  }
  if (item?.kind !== 'proposal') return {}
  const { original, text, replies = [] } = item.proposal.suggestion
  const body = replies.find(({ id }) => id === replyId)?.body
  return { ...(body !== undefined && { body }), quote: original, replacement: text }
}

type Group = EventKind extends infer Kind ? (Kind extends `${infer Prefix}.${string}` ? Prefix : never) : never

const icons: Readonly<Record<Group, IconName>> = {
  doc: 'file',
  content: 'align',
  chat: 'message',
  comment: 'message',
  suggestion: 'pen-line',
  share: 'link',
  asset: 'image',
  media: 'sparkles',
  task: 'list-todo'
}

const iconOf = (kind: EventKind): IconName => (kind.endsWith('.mentioned') ? 'bell' : icons[kind.split('.', 1)[0] as Group])

interface RowInput {
  readonly view: FeedView
  readonly feed: Feed
  readonly entry: Entry
  /** Whether the event undid a restore. */
  readonly isUndo: boolean
}

function Row({ view, feed, entry, isUndo }: RowInput): JSX.Element {
  const { latest, events } = entry
  const name = actorWords(latest, joined)
  // A guest without a name cannot be mentioned, so the name of such a reader is left out.
  const own = view.here.value.find(({ self, nameless }) => self && !nameless)?.name
  const nameOf = view.review.value?.nameOf
  const { words, subject } = subjectOf(latest, feed.isOwn(latest), joined)
  // An agent that uses a link is known as an agent only by its presence.
  const isAgent = latest.actorKind === 'agent' || view.here.value.some((person) => person.kind === 'agent' && person.name === latest.actor)
  const { text, removed, reason } = excerptOf(latest, wordsHere(view, latest), nameOf)
  const go = placeOf(view, latest)
  const day = new Date(latest.ts)
  return (
    <li class='activity-event'>
      <Avatar name={name} kind={isAgent ? 'agent' : latest.actorKind === 'system' && latest.actor === null ? 'service' : 'person'} />
      <div class='event-words'>
        <p>
          <strong dir='auto' title={words === name ? undefined : name}>
            {words}
          </strong>
          {isAgent && <span class='sr-only'> {t('(agent)')}</span>}{' '}
          <span dir='auto'>{agree(subject, isUndo ? t('undid the restore of an earlier version') : eventWords(latest, own, nameOf))}</span>
          {events.length > 1 && <span class='muted'> · {countWords(events.length)}</span>}
        </p>
        {removed + text !== '' && (
          <p class='event-text' dir='auto'>
            {removed !== '' && <del>{removed}</del>} {text}
          </p>
        )}
        {reason !== '' && (
          <p class='event-text' dir='auto'>
            {reason}
          </p>
        )}
        {go !== undefined && (
          <button type='button' class='button quiet event-go' onClick={go}>
            {t('Show in the text')}
          </button>
        )}
      </div>
      <time class='muted tabular' dateTime={day.toISOString()} title={day.toLocaleString(locale)}>
        <Icon name={iconOf(latest.kind)} size={14} />
        {timeWords(latest.ts)}
      </time>
    </li>
  )
}

export function ActivityPanel({ view }: { view: FeedView }): JSX.Element | null {
  const feed = view.feed.value
  const busy = useSignal(false)
  // Events that are new when the panel opens stay marked until it closes.
  const mark = useMemo(() => feed?.seen.peek() ?? 0, [feed])
  const events = feed?.events.value
  useEffect(() => {
    if (feed !== undefined && feed.events.peek() === undefined) void feed.refresh()
  }, [feed])
  useEffect(() => {
    if (events !== undefined) feed?.look()
  }, [events])
  const root = useRef<HTMLDivElement>(null)
  // Moving the focus into the panel lets Esc close it and return the focus.
  useEffect(() => root.current?.closest<HTMLElement>('[tabindex]')?.focus(), [])
  if (feed === undefined) return null

  const close = (): void => {
    view.panel.value = undefined
  }
  const older = async (): Promise<void> => {
    busy.value = true
    await feed.older()
    busy.value = false
  }
  const shown = withoutRepeats(events ?? [], mark)
  const undone = undoneRestores(shown)
  const days = groupByDay(shown, mark)
  const firstOld = shown.find(({ seq }) => seq <= mark)
  const hasNew = (shown[0]?.seq ?? 0) > mark && firstOld !== undefined
  return (
    <SidePanel title={t('Activity')} onClose={close}>
      <div role='alert' ref={root}>
        {feed.failure.value !== undefined && (
          <p class='notice warn'>
            {failureWords(feed.failure.value)}
            <button type='button' class='button' onClick={() => void feed.refresh()}>
              {t('Try again')}
            </button>
          </p>
        )}
      </div>
      {events?.length === 0 && <p class='side-panel-empty'>{t('No activity yet.')}</p>}
      {days.map(({ start, entries }) => (
        <section key={start} class='activity-day' aria-labelledby={`day-${start}`}>
          <h3 id={`day-${start}`}>{dayTitle(start)}</h3>
          <ol>
            {entries.flatMap((entry) => [
              hasNew && entry.latest.seq === firstOld.seq && (
                <li key='mark' class='activity-mark'>
                  <span>{t('Earlier')}</span>
                </li>
              ),
              <Row key={entry.latest.seq} view={view} feed={feed} entry={entry} isUndo={undone.has(entry.latest)} />
            ])}
          </ol>
        </section>
      ))}
      {events !== undefined && feed.hasOlder.value && (
        <p class='actions'>
          <button type='button' class='button' disabled={busy.value} onClick={() => void older()}>
            {t('Show older')}
          </button>
        </p>
      )}
    </SidePanel>
  )
}
