/** The panel for pictures, speech, dictation and OCR, next to the text. It contains the request, the running jobs and the results. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { jobKinds, type JobKind } from '../../shared/media-jobs.ts'
import type { View } from '../view/view.ts'
import { SidePanel } from '../ui/side-panel.tsx'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { asked, askFor } from './asked.ts'
import { Form } from './forms.tsx'
import { JobCard } from './job-card.tsx'
import { mediaOf, type Media } from './jobs.ts'
import { icons, titles, type Obstacle } from './words.ts'

/** How often the panel checks whether a node is available, in milliseconds. */
const lookMs = 5000

/** Describes the obstacle and how to remove it. */
function ObstacleNote({ view, media, obstacle }: { view: View; media: Media; obstacle: Obstacle }): JSX.Element {
  return (
    <div class='notice warn'>
      <p>{obstacle.words}</p>
      {obstacle.remedy !== 'none' && (
        <p class='actions'>
          {obstacle.remedy === 'sign in' && (
            <a class='button primary' href={`/sign-in?return_to=${encodeURIComponent(`/d/${view.session.id}`)}`}>
              {t('Sign in')}
            </a>
          )}
          {obstacle.remedy === 'node' && (
            <>
              <button type='button' class='button' onClick={() => void media.look()}>
                {t('Check again')}
              </button>
              <a class='button quiet' href='/account' target='_blank' rel='noopener'>
                {t('Your account')}
              </a>
            </>
          )}
        </p>
      )}
    </div>
  )
}

function Wish({ view, media, kind }: { view: View; media: Media; kind: JobKind }): JSX.Element {
  const obstacle = media.obstacle(kind)
  const unreached = media.unreached.value
  // The note disappears when the obstacle does, for example when a node connects or the person signs in elsewhere.
  const blocked = obstacle !== undefined || unreached !== undefined
  useEffect(() => {
    void media.look()
  }, [kind])
  useEffect(() => {
    if (!blocked) return undefined
    const look = (): void => void media.look()
    const timer = setInterval(look, lookMs)
    addEventListener('focus', look)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', look)
      removeEventListener('online', look)
    }
  }, [blocked])
  return (
    <section class='media-wish' aria-labelledby='media-wish'>
      <h3 id='media-wish'>{t(titles[kind])}</h3>
      <div role='alert'>
        {unreached !== undefined ? (
          <p class='notice warn'>{unreached}</p>
        ) : (
          obstacle !== undefined && <ObstacleNote view={view} media={media} obstacle={obstacle} />
        )}
      </div>
      {!blocked && media.known.value && <Form key={kind} view={view} media={media} kind={kind} />}
    </section>
  )
}

export function MediaPanel({ view }: { view: View }): JSX.Element {
  const media = useMemo(() => mediaOf(view), [view])
  const root = useRef<HTMLDivElement>(null)
  const kind = asked.value?.kind
  // Moving the focus into the panel lets Esc close it and return the focus. A form inside the panel may then take the focus.
  useEffect(() => {
    if (kind === undefined || !media.known.value) root.current?.closest<HTMLElement>('[tabindex]')?.focus()
  }, [kind])
  // If another panel replaces this one, the request is dropped.
  useEffect(() => () => void (asked.value = undefined), [])
  const close = (): void => {
    view.panel.value = undefined
  }
  return (
    <SidePanel title={t('Pictures and speech')} onClose={close}>
      <div class={kind === undefined ? 'media-kinds' : 'media-kinds chosen'} role='group' aria-label={t('Media task')} ref={root}>
        {jobKinds.map((name) => (
          <button
            key={name}
            type='button'
            class='button media-kind'
            aria-pressed={name === kind}
            title={t(titles[name])}
            onClick={() => (name === kind ? (asked.value = undefined) : askFor(view, name))}
          >
            <Icon name={icons[name]} size={18} />
            <span>{t(titles[name])}</span>
          </button>
        ))}
      </div>
      {kind !== undefined && <Wish view={view} media={media} kind={kind} />}
      {media.list.value.length > 0 && (
        <section class='media-jobs' aria-labelledby='media-jobs'>
          <h3 id='media-jobs'>{t('Recent jobs')}</h3>
          <ul>
            {media.list.value.map((job) => (
              <JobCard key={job.id} view={view} media={media} job={job} />
            ))}
          </ul>
        </section>
      )}
      {media.list.value.length === 0 && kind === undefined && (
        <p class='side-panel-empty'>{t('A compute node does the work. You review the result here before you insert it.')}</p>
      )}
    </SidePanel>
  )
}
