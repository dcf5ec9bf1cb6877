/** Shows a version with the author of each line in the margin. */
import type { JSX } from 'preact'
import { hueOf } from '../presence/colours.ts'
import type { AttributedLines } from './api.ts'
import { authoredRuns } from './authored.ts'
import { displayName } from '../presence/people.ts'
import { initials } from '../presence/person.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { dayOf, timeOf } from './timeline.tsx'
import { otherWriters, writerName } from './writers.ts'

function Author({ lines: { author, authorKind, authors, at } }: { lines: AttributedLines }): JSX.Element {
  const others = otherWriters(author, authors)
  const name = author === null ? t('Unknown author') : displayName(author)
  return (
    <div class='author'>
      <span class={`avatar hue-${hueOf(author ?? '')} ${authorKind ?? ''}`} aria-hidden='true'>
        {authorKind === 'agent' ? <Icon name='bot' size={14} /> : initials(name)}
      </span>
      <span class='author-words'>
        <bdi class='author-name'>{author === null || authorKind === 'agent' ? name : writerName(author)}</bdi>
        {at !== null && (
          <time class='muted' dateTime={at} title={`${dayOf(at)}, ${timeOf(at)}`}>
            {dayOf(at)}, {timeOf(at)}
          </time>
        )}
        {others.length > 0 && <span class='muted'>{t('with {names}', { names: others.join(', ') })}</span>}
      </span>
    </div>
  )
}

export function Authors({ lines, text }: { lines: readonly AttributedLines[]; text: readonly string[] }): JSX.Element {
  return (
    <div class='authored'>
      {authoredRuns(lines, text).map(({ lines: run, text: own }) => (
        <section key={run.line} class={`authored-run hue-${hueOf(run.author ?? '')}`}>
          <Author lines={run} />
          <pre dir='auto'>{own}</pre>
        </section>
      ))}
    </div>
  )
}
