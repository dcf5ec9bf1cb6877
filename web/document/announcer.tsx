/**
 * Announces to screen readers when the connection or the people present have changed, once the new state has lasted for five seconds. It also
 * announces the results of uploads.
 */
import type { JSX } from 'preact'
import { effect, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { locale, t } from '../text/t.ts'
import type { Page } from '../commands/page.ts'

const quietMs = 5000

export function Announcer({ view }: { view: Page }): JSX.Element {
  const spoken = useMemo(() => signal(''), [view])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let before = ''
    const stop = effect(() => {
      const others = view.here.value.filter((person) => !person.self).map((person) => person.name)
      const company = others.length === 0 ? '' : ` ${t('Here now: {names}.', { names: new Intl.ListFormat(locale).format(others) })}`
      const now = `${view.session.chip.value.label.replace(/…$/, '')}.${company}`
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (now !== before) spoken.value = now
        before = now
      }, quietMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [view])
  return (
    <>
      <div class='sr-only' role='status'>
        {spoken.value}
      </div>
      <div class='sr-only' role='status'>
        {view.session.uploads.said.value}
      </div>
    </>
  )
}
