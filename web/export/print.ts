/** Prints only the text, as it looks on its published page. */
import type { Session } from '../session/session.ts'
import { openSheet } from './whole-text.ts'

/** Longest wait for a picture before printing, in milliseconds. */
const pictureMsMax = 10_000

/** Prints the document. Throws if a part of the page cannot be loaded. */
export async function printDocument({ text }: Session): Promise<void> {
  const sheet = await openSheet(text.toString())
  const pictures = [...sheet.article.querySelectorAll('img')].map((picture) => {
    picture.loading = 'eager'
    return picture.decode().catch(() => undefined)
  })
  await Promise.race([Promise.all([document.fonts.ready, ...pictures]), new Promise((resolve) => setTimeout(resolve, pictureMsMax))])
  addEventListener('afterprint', sheet.close, { once: true })
  print()
}
