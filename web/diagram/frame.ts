/**
 * Draws diagrams in a sandboxed frame with an opaque origin. The frame can reach neither the page nor the service, and its policy allows only its own
 * script. The page shows the result as an image, in which no script runs.
 */
import mermaid from 'mermaid'
import { makeReadable } from './ink.ts'
import { sourceUnitsMax, type Drawn, type DiagramColors, type NotDrawn, type Order, type Reply } from './protocol.ts'

const fontFamily = 'system-ui, sans-serif'

const tell = (reply: Reply): void => parent.postMessage(reply, '*')

/** Distinct colors for slices and branches. By default, mermaid uses shades of one color. */
function seriesOf(series: readonly string[], background: string, text: string): Record<string, string> {
  const named = Array.from({ length: 12 }, (_each, index) => [index, series[index % series.length] ?? text] as const)
  return {
    ...Object.fromEntries(
      named.flatMap(([index, colour]) => [
        [`pie${index + 1}`, colour],
        [`git${index}`, colour]
      ])
    ),
    pieOpacity: '1',
    pieStrokeColor: background,
    pieOuterStrokeColor: background,
    pieSectionTextColor: background,
    pieLegendTextColor: text,
    pieTitleTextColor: text
  }
}

function setUp({ dark, background, fill, text, muted, border, accent, series }: DiagramColors): void {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    maxTextSize: sourceUnitsMax,
    // The settings that the source of a diagram cannot change.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'themeCSS',
      'dompurifyConfig'
    ],
    suppressErrorRendering: true,
    // Some browsers omit HTML labels from images.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: 'base',
    darkMode: dark,
    fontFamily,
    themeVariables: {
      darkMode: dark,
      // The shadow of mermaid is a light glow on a dark page, and its borders fade out.
      dropShadow: 'none',
      useGradient: false,
      fontFamily,
      background,
      primaryColor: fill,
      primaryTextColor: text,
      primaryBorderColor: border,
      secondaryColor: background,
      tertiaryColor: background,
      lineColor: muted,
      textColor: text,
      titleColor: text,
      activeTaskBorderColor: accent,
      ...seriesOf(series, background, text)
    }
  })
}

/** Returns a CSS color as `#rrggbb`. Canvas writes a transparent color in another form, and ignores an unknown one. */
function hexOf(color: string): string {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null || !CSS.supports('color', color)) return ''
  context.fillStyle = color
  return String(context.fillStyle)
}

/** Turns mermaid's output into a well-formed SVG of fixed size, as an image requires. Mermaid returns HTML that fills its container. */
function pictureOf(html: string, { text, background }: DiagramColors): Drawn {
  // A parsed document loads no resources.
  const svg = new DOMParser().parseFromString(html, 'text/html').querySelector('svg')
  if (svg === null) throw new Error('Nothing was drawn.')
  const { width, height } = svg.viewBox.baseVal
  const size = { width: Math.max(1, Math.ceil(width)), height: Math.max(1, Math.ceil(height)) }
  svg.setAttribute('width', String(size.width))
  svg.setAttribute('height', String(size.height))
  svg.style.maxWidth = ''
  makeReadable(svg, [text, background], hexOf)
  const kind = svg.getAttribute('aria-roledescription') ?? ''
  const title = svg.querySelector('title')?.textContent?.trim() || `Diagram${kind === '' ? '' : ` (${kind.replace(/-v\d+$/, '')})`}`
  return { svg: new XMLSerializer().serializeToString(svg), ...size, title }
}

function faultOf(error: unknown): NotDrawn {
  const message = error instanceof Error ? error.message : String(error)
  // Each browser has its own words for this.
  if (error instanceof TypeError && /import/i.test(message)) return { error: 'The server cannot be reached.', isUnloaded: true }
  const line = Number(/\bline:? (\d+)/i.exec(message)?.[1] ?? NaN)
  // The first line contains the reason, and the rest repeats the source.
  const [first = ''] = message.split('\n', 1)
  const words =
    first.replace(/^(?:Parse|Lexical|Syntax) error on line \d+[:.]? ?/, '').slice(0, 300) || 'It is incomplete or has a mistake.'
  return { error: words, ...(Number.isFinite(line) && { line }) }
}

async function draw({ id, source, look }: Order): Promise<void> {
  try {
    setUp(look)
    const { svg } = await mermaid.render(`diagram-${id}`, source)
    tell({ id, result: pictureOf(svg, look) })
  } catch (error) {
    document.body.replaceChildren()
    tell({ id, result: faultOf(error) })
  }
}

let last: Promise<void> = Promise.resolve()
addEventListener('message', ({ data, source }: MessageEvent<Order>) => {
  if (source === parent) last = last.then(() => draw(data))
})
tell({ ready: true })
