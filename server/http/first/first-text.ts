/**
 * A document's page with the beginning of its text, for callers who may read it. The text is on the screen before any script runs. The scripts then
 * take over in the same place (web/first/take-over.ts). A thread renders the text, and the result is cached by version, like published pages.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { limits } from '../../../shared/limits.ts'
import { titleIn } from '../../../shared/names.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { contentAtHand, titleOf } from '../../domain/text/content.ts'
import type { Snapshot } from '../../domain/text/journal.ts'
import { Lane } from '../../threads/lane.ts'
import type { Caller } from '../../domain/rights/caller.ts'
import type { Http } from '../context.ts'
import type { Files } from '../files.ts'
import { html, Markup } from '../html.ts'
import { CompressedCache, pack, type Packed } from '../compressed-pages.ts'
import { faceLinks } from './faces.ts'
import type { Drawn, Job } from './worker.ts'

export interface FirstText extends Packed {
  /** Sources of styles that the page needs in addition to its own styles, in the syntax of the Content-Security-Policy. */
  readonly styles: readonly string[]
  /** Whether the page contains the beginning of the text. */
  readonly hasText: boolean
}

/** All servers in a process share one renderer. */
const lane = new Lane<Job, Drawn | undefined>({
  name: 'first_text',
  entry: new URL('worker.ts', import.meta.url),
  secondsMax: limits.renderQuickSecondsMax,
  waitingMax: limits.laneWaitingMax,
  waitingOfHolderMax: limits.pagesWaitingOfDocumentMax
})

/** Returns the beginning of the text, up to the end of a block. */
const beginningOf = (content: string): string => {
  if (content.length <= limits.firstTextUnitsMax) return content
  const beginning = content.slice(0, limits.firstTextUnitsMax)
  const end = Math.max(beginning.lastIndexOf('\n\n'), 0) || Math.max(beginning.lastIndexOf('\n'), 0)
  return beginning.slice(0, end || undefined).toWellFormed()
}

const policyHash = (css: string): string => `'sha256-${createHash('sha256').update(css).digest('base64')}'`

const styled = (css: string): Markup => new Markup(css === '' ? '' : `<style>${css}</style>`)

interface Shown {
  readonly title: string
  readonly hasToolbar: boolean
  readonly drawn: Drawn
  /** The CSS rules for prose. */
  readonly prose: string
}

const liveBody = ({ drawn, hasToolbar }: Shown): Markup =>
  html`${styled(drawn.css)}
    <div class="still-text paper${hasToolbar ? ' has-toolbar' : ''}" data-scrolls=".still-scroller">
      <div class="still-editor still-live">
        <div class="still-scroller"><div class="still-content still-lineWrapping">${new Markup(drawn.html)}</div></div>
      </div>
    </div>`

/** Returns the text in a shadow root, so that the page's ids and style rules do not collide with those of the document. */
const readBody = ({ drawn, prose }: Shown): Markup =>
  html`<div class="still-text">
    <section class="still-reading">
      <template shadowrootmode="open">${styled(prose)}${styled(drawn.css)}<article dir="auto">${new Markup(drawn.html)}</article></template>
    </section>
  </div>`

const logo = new Markup(
  '<svg class="logo" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" class="logo-paper"/>' +
    '<path d="M9 11h14M9 16h9M9 21h5" class="logo-line"/><path d="M20.5 18.5v6" class="logo-cursor"/></svg>'
)

/** `scripts` are the files that the page fetches once the text is painted (web/enter.ts). */
const firstHtml = (kind: Job['kind'], shown: Shown, scripts: readonly string[]): Markup =>
  html`<div id="first" class="first" data-scripts="${scripts.join(' ')}">
    <div class="still-bar" aria-hidden="true">${logo}<span class="still-title">${shown.title}</span></div>
    ${kind === 'live' ? liveBody(shown) : readBody(shown)}
  </div>`

const place = '<div id="app"></div>'
/** The typefaces are listed before the script that uses them. */
const faceplace = '<script src="/theme.js">'

const deadline = <Value>(work: Promise<Value>): Promise<Value | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limits.firstTextMsMax)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** Returns the page for a reader, without the text if it is empty or takes too long to render. Returns undefined if the pages are not built. */
export type FindFirstText = (reader: Caller, doc: string) => Promise<FirstText | undefined>

/** Returns the page with a document's title instead of our name (web/index.html), for programs that read the HTML. */
const titled = (shell: string, title: string): string =>
  shell
    .replace('<title>agmd</title>', () => html`<title>${title}</title>`.text)
    .replace('<h1>agmd</h1>', () => html`<h1>${title}</h1>`.text)

export const createFirstTexts = (http: Http, files: Files): FindFirstText => {
  const { service, log } = http
  const pages = new CompressedCache<FirstText>(limits.firstTextCacheBytesMax)
  const prose = files.text(files.built('style/prose.css') ?? '') ?? ''
  const shell = files.text('/index.html') ?? ''
  const liveModule = join(http.webFolder, '../first/live-text.js')

  const make = async (doc: string, role: Role, title: string, { content, version }: Snapshot): Promise<FirstText> => {
    const kind = includesRole(role, 'comment') ? 'live' : 'read'
    const job = { kind, source: beginningOf(content), baseUrl: service.baseUrl, liveModule } as const
    const drawn = await lane.run(doc, job, { name: JSON.stringify([doc, version, kind]) })
    if (drawn === undefined) throw new Error('the beginning of the text grew too large')
    const hasToolbar = includesRole(role, 'suggest')
    const scripts = files.scripts('document/page.tsx', ...(kind === 'read' ? ['reading/reading.ts'] : []), 'main.tsx')
    const first = firstHtml(kind, { title, hasToolbar, drawn, prose }, scripts)
    const faces = faceLinks(kind, drawn.html, files)
    const page = titled(shell, title)
      .replace(faceplace, () => `${faces.text}${faceplace}`)
      .replace(place, () => `${place}${first.text}`)
    const packed = await pack(page)
    const css = kind === 'read' ? [prose, drawn.css] : [drawn.css]
    return { ...packed, hasText: true, styles: css.filter((rules) => rules !== '').map(policyHash) }
  }

  const withText = (doc: string, role: Role, title: string, snapshot: Snapshot): Promise<FirstText> =>
    pages.get(JSON.stringify([doc, snapshot.version, title, role]), () => make(doc, role, title, snapshot))

  const withTitle = async (title: string): Promise<FirstText> => ({ ...(await pack(titled(shell, title))), hasText: false, styles: [] })

  return async ({ role }, doc) => {
    if (!shell.includes(place)) return undefined
    const head = await service.ledger.head(doc)
    const snapshot = await contentAtHand(service, doc, head)
    const title = titleOf(head, snapshot ?? { titles: titleIn('') })
    if (role === null || snapshot === undefined || snapshot.content.trim() === '') return withTitle(title)
    // If the rendered text is missing, the page shows the text a moment later.
    const found = withText(doc, role, title, snapshot).catch((error: unknown) => {
      log.debug('a page is sent without its text', { doc, error })
      return undefined
    })
    return (await deadline(found)) ?? withTitle(title)
  }
}
