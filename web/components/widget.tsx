/** Widgets: small pages that run on request. Each runs in an isolated frame (web/components/widget-host.ts) and stores its state in the text. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { fitsState, parseWidget, setWidgetState } from '../../shared/fences/widget.ts'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { runWidget, type RunningWidget, type WidgetFault } from './widget-host.ts'
import type { ComponentInput } from './input.ts'

/** Parses a stored state. Returns null if there is none. */
const stateOf = (json: string | undefined): unknown => (json === undefined ? null : (JSON.parse(json) as unknown))

const faultWords = (fault: WidgetFault, message: string): string => {
  if (fault === 'error') return t('The widget failed: {message}', { message })
  return fault === 'left'
    ? t('The widget was stopped because it tried to open another page or stopped responding.')
    : t('The widget was stopped because it sent too many messages.')
}

export function Widget({ input }: { input: ComponentInput }): JSX.Element {
  const { page, fence, refusal, said, sheets } = input
  const widget = useComputed(() => parseWidget(fence.value))
  /** The source of the running widget, or undefined if none is running. */
  const running = useSignal<string | undefined>(undefined)
  /** The last error message of the widget. */
  const fault = useSignal('')
  const place = useRef<HTMLDivElement>(null)
  const frame = useRef<RunningWidget | undefined>(undefined)
  const { title, html, height } = widget.value
  const name = title || fence.value.id || t('Widget')
  // In suggesting mode, each stored state would become a suggestion.
  const keeps = useComputed(() => refusal.value === undefined && page.review.value?.suggesting.value !== true)

  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    input.openSource()
  })
  const end = (): void => {
    frame.current?.stop()
    frame.current = undefined
  }
  const begin = (): void => {
    const element = place.current
    if (element === null) return
    end()
    const now = widget.peek()
    frame.current = runWidget({
      html: now.html,
      title: name,
      height: now.height,
      state: stateOf(now.state?.json),
      onState(state) {
        if (!fitsState(state))
          fault.value = t('The state of the widget is too large to save. The limit is {count} bytes.', {
            count: limits.widgetStateBytesMax
          })
        else if (keeps.peek()) input.act((current) => setWidgetState(parseWidget(current), state), 'program')
      },
      onFault(what, message) {
        fault.value = faultWords(what, message)
        if (what === 'error') return
        end()
        running.value = undefined
      },
      dataOf: (sheet) => sheets.peek().rowsOf(sheet.replace(/^#/, ''))
    })
    running.value = now.html
    element.replaceChildren(frame.current.element)
  }
  useEffect(() => end, [])
  useSignalEffect(() => {
    if (running.value === undefined) end()
  })

  // The editor removes distant content from the page, which stops a running widget. The widget restarts with its state when it becomes visible again.
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const sizes = new ResizeObserver(() => {
      if (running.peek() === undefined) return
      if (!element.isConnected) end()
      else if (frame.current === undefined) begin()
    })
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])

  const run = (): void => {
    fault.value = ''
    begin()
    said.value = t('{name} is running', { name })
  }
  const stop = (): void => {
    running.value = undefined
    said.value = t('{name} was stopped', { name })
  }
  return (
    <div class='widget-live'>
      <div class='widget-tools'>
        {running.value === undefined ? (
          <button type='button' class='frame-button primary' aria-label={t('Run: {name}', { name })} onClick={run}>
            {t('Run')}
          </button>
        ) : (
          <button type='button' class='frame-button widget-stop' aria-label={t('Stop: {name}', { name })} onClick={stop}>
            {t('Stop')}
          </button>
        )}
        {running.value !== undefined && running.value !== html && (
          <button type='button' class='link' onClick={run}>
            {t('The source has changed. Run the widget again.')}
          </button>
        )}
        {running.value !== undefined && !keeps.value && <span class='component-note'>{t('Changes made here are not saved.')}</span>}
        <span class='chart-fault' role='status'>
          {fault.value}
        </span>
      </div>
      <div class='widget-place' ref={place} hidden={running.value === undefined} />
      {running.value === undefined && (
        <pre class='widget-source' tabIndex={0} aria-label={t('Source')} role='group' style={{ 'max-height': `${height}px` }}>
          <code>{html}</code>
        </pre>
      )}
    </div>
  )
}
