/**
 * `/embed/widget`: the framed page in which a widget runs. The page is empty until the surrounding page sends the widget's HTML. It has no origin,
 * because its policy sandboxes it wherever it is opened. The widget therefore has no access to storage, the session or the surrounding page, and it
 * may load nothing.
 *
 * Messages are JSON-RPC 2.0. Only `ui/getData` has a response. A message that also exists in MCP Apps has the same name:
 *
 *     frame → page   ui/ready {}                                   the page is loaded; sent again when the widget is loaded
 *                    ui/notifications/size-changed {height}        CSS pixels
 *                    ui/setState {state}                           JSON, to be stored with the widget
 *                    ui/getData {sheet} with an id                 asks for the displayed values of the cells of `#sheet`
 *     page → frame   ui/initialize {html, state}                   once
 *                    {id, result: rows} or {id, error: {code, message}}
 *
 * The widget gets `agmd.state`, `agmd.setState(value)` and `agmd.getData('#sheet')`, which returns a promise.

 */
import type { Context } from './context.ts'
import type { Routers } from './routers.ts'

const contentSecurityPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'"
].join('; ')

const permissions = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking'
]

// The widget replaces this document and its listeners; the listeners of the widget's bridge are added afterward. No content policy stops WebRTC
// (Chromium 156 has no directive for it), so the script removes the WebRTC constructors. It also removes nested frames, which would bring the
// constructors back. The observer removes a nested frame before that frame's code runs. The script keeps references to the functions that it uses, so
// that no widget can replace them.
const script = `(() => {
  const { apply } = Reflect
  const { remove, attachShadow } = Element.prototype
  const shut = (root, { querySelectorAll }) =>
    new MutationObserver(() => {
      const nested = apply(querySelectorAll, root, ['iframe, frame, object, embed, fencedframe'])
      for (let index = 0; nested[index] !== undefined; index++) apply(remove, nested[index], [])
    }).observe(root, { childList: true, subtree: true })
  const close = () => {
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Object.defineProperty(window, name, { value: undefined })
    shut(document, Document.prototype)
    Element.prototype.attachShadow = function (options) {
      const root = apply(attachShadow, this, [options])
      shut(root, DocumentFragment.prototype)
      return root
    }
  }
  const page = window.parent
  const send = (method, params, id) => page.postMessage({ jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) }, '*')
  const begin = ({ source, data }) => {
    if (source !== page || data === null || typeof data !== 'object' || data.method !== 'ui/initialize') return
    window.removeEventListener('message', begin)
    const { html, state } = data.params
    document.open()
    close()
    const asked = new Map()
    let last = 0
    window.addEventListener('message', ({ source, data }) => {
      if (source !== page || data === null || typeof data !== 'object') return
      if (data.method === 'ui/ping') send('ui/pong', {})
      if (!asked.has(data.id)) return
      const { resolve, reject } = asked.get(data.id)
      asked.delete(data.id)
      if (data.error) reject(new Error(data.error.message))
      else resolve(data.result)
    })
    window.agmd = Object.freeze({
      state,
      setState: (value) => send('ui/setState', { state: JSON.parse(JSON.stringify(value)) }),
      getData: (sheet) =>
        new Promise((resolve, reject) => {
          asked.set(++last, { resolve, reject })
          send('ui/getData', { sheet: String(sheet) }, last)
        })
    })
    // The error handlers are set before the widget's scripts run, because most errors happen immediately.
    const fail = (error) => send('ui/notifications/failed', { message: String(error) })
    window.addEventListener('error', ({ message }) => fail(message))
    window.addEventListener('unhandledrejection', ({ reason }) => fail(reason))
    document.write('<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">' + html.replace(/shadowrootmode/gi, 'data-mode'))
    document.close()
    const tell = () => send('ui/notifications/size-changed', { height: Math.ceil(document.documentElement.getBoundingClientRect().height) })
    new ResizeObserver(tell).observe(document.documentElement)
    send('ui/ready', {})
  }
  window.addEventListener('message', begin)
  send('ui/ready', {})
})()`

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Widget</title><meta name="robots" content="noindex"></head>
<body><script>${script}</script></body>
</html>
`

const path = '/embed/widget'

export const bindWidgetPage = ({ of }: Routers): void => {
  of(path).get(path, (koa) => {
    const ctx = koa as unknown as Context
    ctx.set('Content-Security-Policy', contentSecurityPolicy)
    ctx.set('Permissions-Policy', permissions.map((name) => `${name}=()`).join(', '))
    ctx.set('Cache-Control', 'public, max-age=3600')
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = page
  })
}
