/**
 * Creates pictures of the diagrams in a published document, which the published page shows without scripts. Drawing needs a browser, so the browser
 * of a person who edits the document draws the missing pictures.
 */
import { createPageRenderer } from '../../shared/markdown/page-renderer.ts'
import { limits } from '../../shared/limits.ts'
import type { Request } from '../../shared/operations/index.ts'
import { toBase64UrlEncoded } from 'lib0/buffer'
import { digest } from 'lib0/hash/sha256'
import { encodeUtf8 } from 'lib0/string'
import { operation } from '../client/operation.ts'
import { drawnIn } from '../diagram/draw.ts'
import { themeColors } from '../diagram/theme-colors.ts'
import type { Session } from '../session/session.ts'

const listDrawings = operation<'listDrawings'>('GET /api/docs/{id}/drawings')
const storeDrawing = operation<'storeDrawing'>('PUT /api/docs/{id}/drawings')

/** Longest text that is searched for diagrams while somebody types, in UTF-16 units. If the text is longer, readers' browsers draw the diagrams. */
const textUnitsMax = 300_000

const hashOf = (source: string): string => toBase64UrlEncoded(digest(encodeUtf8(source)))

/** Returns the sources of the diagrams as the published page finds them, up to a limit. */
function diagramsOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  if (text.length > textUnitsMax || !/mermaid/i.test(text)) return found
  const nothing = (): undefined => undefined
  const note = (whole: string): undefined => {
    const source = whole.trim()
    if (source !== '' && found.size < limits.drawingsMax) found.set(hashOf(source), source)
  }
  createPageRenderer({ highlighter: nothing, formulaSetter: nothing, components: nothing, pictureOf: note }, () => false).render(text)
  return found
}

async function drawn(source: string): Promise<Request<'storeDrawing'> | undefined> {
  const light = await drawnIn(source, themeColors('light'))
  const dark = 'svg' in light ? await drawnIn(source, themeColors('dark')) : light
  if (!('svg' in light) || !('svg' in dark)) return undefined
  const { width, height, title } = light
  const words = title.replaceAll(/\s+/g, ' ').slice(0, limits.drawingTitleUnitsMax).toWellFormed()
  return { source, title: words, width, height, light: light.svg, dark: dark.svg }
}

/** Draws and sends the missing pictures. If drawing fails, readers' browsers draw the diagram. */
export async function keepDrawings({ id, key, text }: Session): Promise<void> {
  const diagrams = diagramsOf(text.toString())
  if (diagrams.size === 0) return
  const { drawings } = await listDrawings({ id, key })
  for (const { source } of drawings) diagrams.delete(source)
  for (const source of diagrams.values()) {
    const drawing = await drawn(source)
    if (drawing !== undefined) await storeDrawing({ id, key }, drawing)
  }
}
