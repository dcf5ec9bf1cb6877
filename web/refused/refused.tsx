/** The page in place of a document that cannot be shown. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../text/t.ts'
import { Logo } from '../ui/icons.tsx'
import { refusalWords, type Refusal } from './refusals.ts'

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

/** Longer waits are told in minutes: nobody counts so many seconds. */
const minutesFrom = 120

const waitWords = (seconds: number): string =>
  seconds < minutesFrom
    ? t('Trying again in {seconds} s.', { seconds })
    : t('Trying again in {minutes} min.', { minutes: Math.ceil(seconds / 60) })

export function Refused({ refusal }: { refusal: Refusal }): JSX.Element {
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
