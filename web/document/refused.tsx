/** The page that appears when a document cannot be shown. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../text/t.ts'
import { dayWords } from '../text/when.ts'
import { toast } from '../ui/toast.tsx'
import { Logo } from '../ui/icons.tsx'
import { failureWords } from '../client/failure.ts'
import { refusalWords } from '../client/refusal-words.ts'
import type { Refusal, Trashed } from '../client/refusals.ts'

const retrySecondsDefault = 5

/** Counts down to zero, then calls `run` once. */
function useCountdown(seconds: number | undefined, run: () => void): number | undefined {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    if (left === undefined) return undefined
    if (left <= 0) {
      run()
      return undefined
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return left
}

/** Waits of at least this many seconds are shown in minutes. */
const minutesFrom = 120

const waitWords = (seconds: number): string =>
  seconds < minutesFrom
    ? t('Trying again in {seconds} s.', { seconds })
    : t('Trying again in {minutes} min.', { minutes: Math.ceil(seconds / 60) })

const restoreOwn = async (own: NonNullable<Trashed['own']>): Promise<void> => {
  try {
    const { restore } = await import('../trash/trash.ts')
    await restore(own)
    location.reload()
  } catch (error) {
    toast(failureWords(error))
  }
}

/** Explains that the document is in the trash. */
function InTrash({ until, own }: Trashed): JSX.Element {
  const title =
    own === undefined
      ? t('This document was deleted')
      : own.title === ''
        ? t('This document is in the trash')
        : t('“{title}” is in the trash', own)
  useEffect(() => {
    document.title = `${title} · agmd`
  }, [title])
  const day = dayWords(until)
  return (
    <main class='plain refused'>
      <Logo size={40} />
      <h1 dir='auto'>{title}</h1>
      <p>
        {own === undefined
          ? t('The owner can restore this document until {day}. If they do, your link will work again.', { day })
          : t('It is in the trash until {day}. Until then you can restore it with its links, comments and history.', { day })}
      </p>
      <p class='actions'>
        {own !== undefined && (
          <button type='button' class='button primary' onClick={() => void restoreOwn(own)}>
            {t('Restore')}
          </button>
        )}
        <a class={own === undefined ? 'button primary' : 'button'} href='/'>
          {t('Go to your documents')}
        </a>
      </p>
    </main>
  )
}

export function Refused({ refusal }: { refusal: Refusal }): JSX.Element {
  return refusal.trashed === undefined ? <Plain refusal={refusal} /> : <InTrash {...refusal.trashed} />
}

function Plain({ refusal }: { refusal: Refusal }): JSX.Element {
  const words = refusalWords[refusal.kind]
  const waits = words.retries === true && refusal.kind !== 'never_opened'
  const left = useCountdown(waits ? (refusal.retryAfterSeconds ?? retrySecondsDefault) : undefined, () => location.reload())
  useEffect(() => {
    document.title = `${t(words.title)} · agmd`
  }, [words.title])
  return (
    <main class='plain refused'>
      <Logo size={40} />
      <h1>{t(words.title)}</h1>
      <p>{t(words.text)}</p>
      {left !== undefined && left > 0 && <p class='muted tabular'>{waitWords(left)}</p>}
      {refusal.requestId !== undefined && (
        <p class='muted'>
          {t('Request')} <code>{refusal.requestId}</code>
        </p>
      )}
      <p class='actions'>
        {words.retries === true && (
          <button type='button' class='button primary' onClick={() => location.reload()}>
            {t('Try now')}
          </button>
        )}
        <a class={words.retries === true ? 'button' : 'button primary'} href='/'>
          {t('Go to your documents')}
        </a>
        {words.signIn === true && (
          <a class='button' href={`/sign-in?return_to=${encodeURIComponent(location.pathname)}`}>
            {t('Sign in')}
          </a>
        )}
      </p>
    </main>
  )
}
