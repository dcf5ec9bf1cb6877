/**
 * Runs one widget in its own frame. server/http/widget-page.ts specifies the messages. The page accepts only harmless messages: a height
 * within limits, and a state to store. It ignores messages from other frames.
 */
import { limits } from '../../shared/limits.ts'

const framePath = '/embed/widget'

/** JSON-RPC error code "Invalid params" (JSON-RPC 2.0, 5.1): there is no sheet with the requested name. */
const noSuchSheet = -32_602

/** Shortest time between two stored states, in milliseconds. */
const stateMsMin = 1000

/**
 * A widget may send `messagesPerSecond` messages per second on average. The page stops a widget that is `messagesMax` messages ahead of this rate,
 * because the page would otherwise do nothing but handle messages. Messages are counted when the page handles them, so a slow page is as strict as a
 * fast one.
 */
const [messagesMax, messagesPerSecond] = [1000, 120]
/** Maximum number of requests for cells that the page answers per second. Each answer may be long. */
const answersMax = 30

/** JSON-RPC error code for too many requests, in the range that JSON-RPC leaves to implementations. */
const tooMany = -32_000

/** Time within which a widget must answer a ping, in milliseconds. A widget that does not answer has left its page or hangs. */
const answerMsMax = 3000

/** The failure of a widget: it threw an error, it left its page or hangs, or it sent too many messages. */
export type WidgetFault = 'error' | 'left' | 'flood'

/** Longest part of an error message that the page shows, in UTF-16 units. */
const messageUnitsMax = 200

export interface WidgetInput {
  readonly html: string
  readonly title: string
  /** Height of the frame, in CSS pixels. */
  readonly height: number
  readonly state: unknown
  /** Stores a state. It is called at most once per second, and always with the last state. Absent if the person may not write. */
  readonly onState?: (state: unknown) => void
  /** Called when the widget fails. The page has then stopped the widget, unless the widget reported the error itself. */
  readonly onFault: (fault: WidgetFault, message: string) => void
  /** Returns the displayed cells of a sheet, or undefined if there is no such sheet. */
  readonly dataOf?: (sheet: string) => readonly (readonly string[])[] | undefined
}

export interface RunningWidget {
  readonly element: HTMLIFrameElement
  stop(): void
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly height?: unknown; readonly state?: unknown; readonly sheet?: unknown; readonly message?: unknown }
}

const createFrame = (title: string, height: number): HTMLIFrameElement => {
  const element = document.createElement('iframe')
  // Never add `allow-same-origin`: the widget would then have the rights of the page.
  element.setAttribute('sandbox', 'allow-scripts')
  element.setAttribute('allow', '')
  element.referrerPolicy = 'no-referrer'
  element.loading = 'lazy'
  element.className = 'widget-frame'
  element.title = title
  element.height = String(height)
  element.src = framePath
  return element
}

export function runWidget({ html, title, height, state, onState, onFault, dataOf }: WidgetInput): RunningWidget {
  const element = createFrame(title, height)
  /** The window that received the widget. If the frame element moves within the page, the browser loads a new one. */
  let given: Window | undefined
  let latest = state
  let keptAt = Number.NEGATIVE_INFINITY
  let later: { readonly state: unknown } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let leaving: ReturnType<typeof setTimeout> | undefined

  const post = (message: object): void => element.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')

  const keep = (): void => {
    timer = undefined
    if (later === undefined) return
    keptAt = performance.now()
    onState?.(later.state)
    later = undefined
  }

  const takeState = (value: unknown): void => {
    latest = value
    later = { state: value }
    timer ??= setTimeout(keep, Math.max(0, keptAt + stateMsMin - performance.now()))
  }

  let second = 0
  let answers = 0
  let heardAt = 0
  let messages = 0
  /** Counts a message. Returns true if it exceeds the limit. */
  const floods = (): boolean => {
    const now = performance.now()
    messages = Math.max(0, messages - ((now - heardAt) / 1000) * messagesPerSecond) + 1
    heardAt = now
    if (Math.floor(now / 1000) !== second) [second, answers] = [Math.floor(now / 1000), 0]
    return messages > messagesMax
  }

  const answer = (id: unknown, sheet: string): void => {
    answers += 1
    if (answers > answersMax) return post({ id, error: { code: tooMany, message: 'too many questions' } })
    const rows = dataOf?.(sheet)
    return post(rows === undefined ? { id, error: { code: noSuchSheet, message: 'no such sheet' } } : { id, result: rows })
  }

  const stop = (): void => {
    removeEventListener('message', hear)
    clearTimeout(timer)
    clearTimeout(leaving)
    element.remove()
  }

  // A page that replaces the widget in the frame does not answer the ping.
  element.addEventListener('load', () => {
    if (given === undefined || given !== element.contentWindow) return
    post({ method: 'ui/ping' })
    clearTimeout(leaving)
    leaving = setTimeout(() => {
      stop()
      onFault('left', '')
    }, answerMsMax)
  })

  const hear = ({ source, data }: MessageEvent<Message | null>): void => {
    if (source === null || source !== element.contentWindow) return
    if (floods()) {
      stop()
      onFault('flood', '')
      return
    }
    if (data === null || typeof data !== 'object') return
    const { id, method, params } = data
    if (method === 'ui/ready' && given !== source) {
      given = element.contentWindow ?? undefined
      clearTimeout(leaving)
      post({ method: 'ui/initialize', params: { html, state: latest } })
    } else if (method === 'ui/notifications/size-changed') {
      const asked = Number(params?.height)
      if (Number.isFinite(asked)) element.height = String(Math.min(Math.max(asked, height), limits.widgetHeightMax))
    } else if (method === 'ui/setState' && onState !== undefined) takeState(params?.state)
    else if (method === 'ui/notifications/failed') onFault('error', String(params?.message).slice(0, messageUnitsMax))
    else if (method === 'ui/pong') clearTimeout(leaving)
    else if (method === 'ui/getData') answer(id, String(params?.sheet))
  }
  addEventListener('message', hear)
  return { element, stop }
}
