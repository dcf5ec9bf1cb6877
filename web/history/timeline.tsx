/** The list of versions by day, newest first. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { Revision } from './api.ts'
import { changedSize } from './changed-size.ts'
import { locale, t, term, tn } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import type { Entry, History } from './history.ts'
import { Choice } from '../ui/choice.tsx'
import { writersOf } from './writers.ts'

const causes: Readonly<Record<Revision['cause'], string>> = {
  create: term('Created'),
  put: term('Text replaced'),
  edit: term('Edited'),
  restore: term('Restored'),
  autosave: term('Edited'),
  accept: term('Suggestion accepted'),
  reopen: term('Acceptance undone'),
  merge: term('Merged')
}

export const timeOf = (instant: string, more: Intl.DateTimeFormatOptions = {}): string =>
  new Date(instant).toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit', ...more })

const isToday = (instant: string): boolean => new Date(instant).toDateString() === new Date().toDateString()

export const dayOf = (instant: string): string => {
  if (isToday(instant)) return t('Today')
  const date = new Date(instant)
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const)
  return date.toLocaleDateString(locale, { weekday: 'long', day: 'numeric', month: 'long', ...year })
}

/**
 * Describes how a version was created. People can also edit words or lines with the client, so such an edit counts as a program's only if its author
 * is a program.
 */
const causeOf = ({ cause, authorKind }: Revision): string =>
  cause === 'edit' && authorKind === 'agent' ? t('Edited by a program') : t(causes[cause])

/** Returns the name of an entry in the list. */
export const nameOf = (entry: Entry): string => {
  if (entry.id === 'now') return t('Now')
  const time = `${dayOf(entry.createdAt)}, ${timeOf(entry.createdAt)}`
  return entry.label === null ? time : `${entry.label} · ${time}`
}

/** Returns the time of a version for use in a sentence: the time of day if it is from today, and otherwise the date and time. */
export const whenOf = ({ createdAt }: Revision): string =>
  isToday(createdAt) ? timeOf(createdAt) : `${dayOf(createdAt)}, ${timeOf(createdAt)}`

function writerWords(doc: string, revision: Revision): string {
  const names = writersOf(doc, revision)
  return names.length === 0 ? t('Unknown author') : new Intl.ListFormat(locale, { type: 'conjunction' }).format(names)
}

/** Returns a distinct name for each entry. For versions from the same minute, the name also contains the second and the author. */
export function namesOf(doc: string, entries: readonly Revision[]): ReadonlyMap<Revision['id'], string> {
  const alike = Map.groupBy(entries, nameOf)
  const more = (entry: Revision): string => {
    const time = `${dayOf(entry.createdAt)}, ${timeOf(entry.createdAt, { second: '2-digit' })} · ${writerWords(doc, entry)}`
    return entry.label === null ? time : `${entry.label} · ${time}`
  }
  return new Map(entries.map((entry) => [entry.id, alike.get(nameOf(entry))?.length === 1 ? nameOf(entry) : more(entry)]))
}

function Who({ doc, revision }: { doc: string; revision: Revision }): JSX.Element {
  return (
    <span class='timeline-who'>
      {revision.authorKind === 'agent' && <Icon name='bot' size={14} />}
      <bdi>{writerWords(doc, revision)}</bdi>
    </span>
  )
}

/** A number of added or removed characters. The tooltip and screen readers have it in words. */
const Size = ({ of, words, children }: { of: 'added' | 'removed'; words: string; children: ComponentChildren }): JSX.Element => (
  <span class={of} aria-label={words} title={words}>
    {children}
  </span>
)

/** Returns the size of the version before another. Before the first version, the document was empty. Undefined if that version has not been loaded. */
function sizeBefore({ entries, hasOlder }: History, entry: Revision): number | undefined {
  const list = entries.value ?? []
  const before = list[list.indexOf(entry) + 1]
  if (before === undefined) return hasOlder.value ? undefined : 0
  return before.id === 'now' ? undefined : before.size
}

function ChangedSize({ entry, history }: { entry: Revision; history: History }): JSX.Element {
  const { added, removed } = changedSize(entry, sizeBefore(history, entry))
  return (
    <span class='timeline-size'>
      {added > 0 && (
        <Size of='added' words={tn(added, '1 character added', '{count} characters added')}>
          +{added.toLocaleString(locale)}
        </Size>
      )}
      {removed > 0 && (
        <Size of='removed' words={tn(removed, '1 character removed', '{count} characters removed')}>
          −{removed.toLocaleString(locale)}
        </Size>
      )}
      {added + removed > 0 && (
        <span class='muted' aria-hidden='true'>
          {tn(removed || added, 'character', 'characters')}
        </span>
      )}
    </span>
  )
}

function Item({ entry, history }: { entry: Entry; history: History }): JSX.Element {
  const selected = history.selected.value === entry.id
  return (
    <li>
      <button
        type='button'
        class='timeline-item'
        aria-current={selected ? 'true' : undefined}
        onClick={() => {
          history.base.value = 'previous'
          history.selected.value = entry.id
        }}
      >
        {entry.id === 'now' ? (
          <>
            <strong>{t('Now')}</strong>
            <span class='muted'>{t('Not saved as a version yet')}</span>
          </>
        ) : (
          <>
            <span class='timeline-head'>
              <time dateTime={entry.createdAt}>{timeOf(entry.createdAt)}</time>
              {entry.label !== null && <strong class='timeline-label'>{entry.label}</strong>}
            </span>
            <span class='muted'>
              {causeOf(entry)} · <Who doc={history.doc} revision={entry} />
            </span>
            <ChangedSize entry={entry} history={history} />
          </>
        )}
      </button>
    </li>
  )
}

const authorsOf = (doc: string, entry: Entry): string[] => (entry.id === 'now' ? [] : writersOf(doc, entry))

export function Timeline({ history }: { history: History }): JSX.Element {
  const author = useSignal('')
  const entries = history.entries.value ?? []
  const authors = [...new Set(entries.flatMap((entry) => authorsOf(history.doc, entry)))]
  const chosen = entries.filter((entry) => author.value === '' || authorsOf(history.doc, entry).includes(author.value))
  const days = Map.groupBy(chosen, (entry) => (entry.id === 'now' ? t('Today') : dayOf(entry.createdAt)))
  return (
    <nav class='timeline' aria-label={t('Versions')}>
      {authors.length > 1 && (
        <label class='field timeline-filter'>
          <span>{t('Edited by')}</span>
          <Choice
            value={author.value}
            values={['', ...authors]}
            words={(name) => name || t('Everyone')}
            onChoose={(name) => (author.value = name)}
          />
        </label>
      )}
      {[...days].map(([day, list]) => (
        <section key={day} aria-label={day}>
          <h3>{day}</h3>
          <ul>
            {list.map((entry) => (
              <Item key={entry.id} entry={entry} history={history} />
            ))}
          </ul>
        </section>
      ))}
      {history.hasOlder.value && (
        <button type='button' class='button' onClick={() => void history.loadOlder()}>
          {t('Show older versions')}
        </button>
      )}
    </nav>
  )
}
