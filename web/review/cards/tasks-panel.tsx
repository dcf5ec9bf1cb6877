/**
 * The panel for review assignments. In it, the owner creates and follows an assignment, reads its report and closes it. The holder of its link uses
 * it to do the review.
 */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '../../../shared/limits.ts'
import { readDocument } from '../../client/documents.ts'
import type { ReviewedView } from '../annotations/review.ts'
import { SidePanel } from '../../ui/side-panel.tsx'
import { displayName } from '../../presence/people.ts'
import { isOwnName } from '../../presence/signature.ts'
import { t, term, tn } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { toast } from '../../ui/toast.tsx'
import { Byline, Prose, EntryNote, useNameField, Writer } from './card-parts.tsx'
import type { Comment, Suggestion, Task } from '../outbox/records.ts'
import type { Review } from '../annotations/review.ts'
import { taskText } from './task-text.ts'
import { tasksTitle } from './tasks-command.ts'
import type { OutboxEntry } from '../outbox/entry.ts'

const stateWords: Readonly<Record<Task['status'], string>> = {
  open: term('Waiting for the reviewer'),
  started: term('In progress'),
  reported: term('Reported'),
  closed: term('Closed')
}

const nameOf = ({ kind, name }: Task['createdBy']): string => (kind === 'guest' ? displayName(name ?? kind) : (name ?? ''))

function Links({ task }: { task: Task }): JSX.Element | null {
  const { share } = task
  if (share === undefined || share.revoked) return null
  return (
    <p class='actions'>
      <button type='button' class='button' onClick={() => void copyText(share.url, t('Link'))}>
        {t('Copy link for a person')}
      </button>
      <button type='button' class='button' onClick={() => void copyText(taskText(location.origin, task), t('Prompt'))}>
        {t('Copy prompt for an agent')}
      </button>
    </p>
  )
}

const countWords = ({ commentIds, suggestionIds }: Pick<NonNullable<Task['report']>, 'commentIds' | 'suggestionIds'>): string =>
  `${tn(commentIds.length, '1 comment', '{count} comments')}, ${tn(suggestionIds.length, '1 suggestion', '{count} suggestions')}`

function Report({ review, task }: { review: Review; task: Task }): JSX.Element | null {
  const { report } = task
  if (report === null) return null
  const { kind: authorKind, name } = report.reportedBy
  const author = name ?? authorKind
  const ids = [...report.commentIds, ...report.suggestionIds]
  const there = ids.filter((id) => review.items.value.some((item) => item.id === id))
  const [first] = there
  return (
    <section class='task-report' aria-label={t('Report')}>
      <Byline author={author} authorKind={authorKind} isOwn={authorKind !== 'agent' && isOwnName(author)} at={report.reportedAt} />
      <Prose text={report.summary} />
      <p class='card-note'>
        {countWords(report)}
        {report.stale && `. ${t('The document changed before the report arrived.')}`}
      </p>
      {first !== undefined && (
        <p class='actions'>
          <button type='button' class='button' onClick={() => review.show(first, 'card')}>
            {t('Go to the first one')}
          </button>
        </p>
      )}
    </section>
  )
}

/** Starts the review. A guest without a name may give one first. The report then has it too. */
function Start({ review, task }: { review: Review; task: Task }): JSX.Element {
  const { field, keep } = useNameField(review)
  const submit = (event: Event): void => {
    event.preventDefault()
    keep()
    review.store.act({ kind: 'start', task: task.id })
  }
  return (
    <form class='card-writer' onSubmit={submit}>
      {field}
      <p class='actions'>
        <button class='button primary'>{t('Start the review')}</button>
      </p>
    </form>
  )
}

/** The assignment as the holder of its link sees it. */
function Work({ review, task }: { review: Review; task: Task }): JSX.Element | null {
  const { store } = review
  if (task.status === 'open') return <Start review={review} task={task} />
  if (task.status !== 'started') return null
  // The suggestion that is being typed has no card yet, but the service has it.
  const idsOf = (records: readonly (Comment | Suggestion)[]): string[] =>
    records
      .filter((each) => each.taskId === task.id && store.isOwn(each))
      .map(({ id }) => id)
      .slice(0, limits.taskIdsMax)
  const outputs = {
    commentIds: idsOf(store.threads.value.map(({ comment }) => comment)),
    suggestionIds: idsOf(store.proposals.value.map(({ suggestion }) => suggestion).filter(({ withdrawn }) => withdrawn !== true))
  }
  const report = async (summary: string): Promise<void> => {
    try {
      const { version } = await readDocument(review.doc)
      store.act({ kind: 'report', task: task.id, reviewedVersion: version, summary, ...outputs })
    } catch {
      toast(t('You must be online to send the report. Your text was copied.'))
      await navigator.clipboard.writeText(summary).catch(() => undefined)
    }
  }
  const found = outputs.commentIds.length + outputs.suggestionIds.length > 0
  return (
    <>
      <p class='card-note'>
        {found ? countWords(outputs) : t('Select words in the text to comment, or type to suggest. Then write your report here.')}
      </p>
      <Writer label={t('What did you find?')} action={t('Report')} value='' onSubmit={(summary) => void report(summary)} />
    </>
  )
}

function TaskCard({ review, task, waiting }: { review: Review; task: Task; waiting: readonly OutboxEntry[] }): JSX.Element {
  const { isOwner, act } = review.store
  const isMine = task.share !== undefined && !isOwner.value
  return (
    <article class='card task active' aria-label={t('Assignment: {title}', { title: task.title })}>
      <header class='card-byline'>
        <h3 class='task-title' dir='auto'>
          {task.title}
        </h3>
        <span class='spread' />
        <span class='tag' data-state={task.status}>
          {isMine && task.status === 'open' ? t('Waiting for you') : t(stateWords[task.status])}
        </span>
      </header>
      <Prose text={task.instructions} />
      {task.startedBy !== null && task.report === null && (
        <p class='card-note'>{t('Started by {name}', { name: nameOf(task.startedBy) })}</p>
      )}
      <Report review={review} task={task} />
      {isMine && <Work review={review} task={task} />}
      {isOwner.value && task.status !== 'closed' && task.report === null && <Links task={task} />}
      {isOwner.value && task.status !== 'closed' && (
        <p class='actions end'>
          <button type='button' class='button quiet' onClick={() => act({ kind: 'close', task: task.id })}>
            {task.report === null ? t('Cancel assignment') : t('Close assignment')}
          </button>
        </p>
      )}
      {waiting.map((each) => (
        <EntryNote key={each.id} review={review} entry={each} />
      ))}
    </article>
  )
}

function Ask({ review }: { review: Review }): JSX.Element {
  const [title, setTitle] = useState('')
  const [instructions, setInstructions] = useState('')
  const first = useRef<HTMLInputElement>(null)
  // The focus in the panel lets Esc close it and return the focus.
  useEffect(() => first.current?.focus(), [])
  const submit = (event: Event): void => {
    event.preventDefault()
    if (title.trim() === '') return
    review.store.act({ kind: 'ask', title: title.trim(), instructions: instructions.trim() })
    review.store.said.value = t('Assignment created')
    setTitle('')
    setInstructions('')
  }
  return (
    <form class='task-form' onSubmit={submit}>
      <label class='field'>
        <span>{t('What to review')}</span>
        <input
          ref={first}
          type='text'
          maxLength={limits.titleUnitsMax}
          value={title}
          required
          onInput={(event: Event) => setTitle((event.target as HTMLInputElement).value)}
        />
      </label>
      <label class='field'>
        <span>{t('Instructions')}</span>
        <textarea
          rows={3}
          dir='auto'
          maxLength={limits.taskTextUnitsMax}
          value={instructions}
          onInput={(event: Event) => setInstructions((event.target as HTMLTextAreaElement).value)}
        />
      </label>
      <p class='actions end'>
        <button class='button primary' disabled={title.trim() === ''}>
          {t('Create assignment')}
        </button>
      </p>
    </form>
  )
}

export function TasksPanel({ view }: { view: ReviewedView }): JSX.Element | null {
  const review = view.review.value
  if (review === undefined) return null
  const { tasks, isOwner, outbox } = review.store
  const entries = outbox.list.value
  const asked = entries.filter(({ action }) => action.kind === 'ask')
  const of = ({ id }: Task): OutboxEntry[] => entries.filter(({ action }) => 'task' in action && action.task === id)
  return (
    <SidePanel title={t(tasksTitle(review.store))} onClose={() => (view.panel.value = undefined)}>
      {isOwner.value && <Ask review={review} />}
      {asked.map((each) => (
        <article key={each.id} class='card task active' aria-label={t('New assignment')}>
          {each.action.kind === 'ask' && <h3 class='task-title'>{each.action.title}</h3>}
          <EntryNote review={review} entry={each} />
        </article>
      ))}
      {tasks.value.length === 0 && asked.length === 0 && (
        <p class='side-panel-empty'>
          {isOwner.value
            ? t('Ask a person or an agent to review this document. They get a link that only allows suggesting.')
            : t('No assignments.')}
        </p>
      )}
      {tasks.value.map((task) => (
        <TaskCard key={task.id} review={review} task={task} waiting={of(task)} />
      ))}
    </SidePanel>
  )
}
