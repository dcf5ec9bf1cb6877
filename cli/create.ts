/** The command `docs create`, which creates a document, optionally from a file. */
import { existsSync } from 'node:fs'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { rememberKey } from './hosts.ts'
import { readLink } from './pulled-file.ts'
import type { DocumentAddress } from './service.ts'
import { asDocument, checkMarks, connect, mustRead } from './sync.ts'
import { readInput } from './terminal.ts'

export const create = async (call: Call): Promise<void> => {
  const file = call.words('file')
  const content = file === undefined ? undefined : file === '-' ? asDocument(await readInput()) : mustRead(file)
  const title = call.words('title')
  if (file !== undefined && file !== '-' && existsSync(file) && readLink(file) !== undefined)
    throw new Failure('file_changed', `${file} is already linked to a document.`, `Push the file: agmd docs push ${file}`)
  checkMarks(call, file === undefined || file === '-' ? 'The text' : file, content ?? '', '')
  const origin = call.origin()
  const made = await call
    .client()
    .createDocument({ ...(title === undefined ? {} : { title }), ...(content === undefined ? {} : { content }) })
  const address: DocumentAddress = { origin, doc: made.id, key: made.key, implied: false }
  if (made.key !== undefined) rememberKey(origin, { doc: made.id, key: made.key, role: 'owner' })
  if (file !== undefined && file !== '-') connect(file, address, { content: content ?? '', version: made.version })
  call.answer(made, () => made.url)
  if (made.key !== undefined)
    call.terminal.say('Anyone with this link owns the document. To share it with fewer rights: agmd share create.')
}
