/** Makes a document and goes there. */
import { createDocument } from '../api.ts'
import { cleanText } from '../clean-text.ts'
import { remember } from '../recent.ts'

/** Largest file taken, in bytes: the server takes no larger document. */
export const fileBytesMax = 10 * 1024 * 1024

/** Creates a document, keeps its key on this device, and opens it. */
export async function startDocument(input: { title?: string; content?: string } = {}): Promise<void> {
  const created = await createDocument(input)
  remember(created.id, {
    title: created.title,
    role: created.effectiveRole ?? created.role ?? 'owner',
    key: created.key ?? '',
    openedAt: Date.now()
  })
  location.assign(`/d/${created.id}`)
}

/** Creates a document from a file of this device. */
export async function importFile(file: File): Promise<void> {
  if (file.size > fileBytesMax) throw new Error(`“${file.name}” is larger than 10 MiB.`)
  const content = cleanText(await file.text())
  await startDocument({ title: file.name.replace(/\.(md|markdown|txt)$/i, ''), content })
}
