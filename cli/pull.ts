/** The command `docs pull`, which updates a file from its document. Local changes are never lost. */
import { merge } from '../shared/text/merge.ts'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { readText } from './files.ts'
import { readLink } from './pulled-file.ts'
import type { DocumentAddress } from './service.ts'
import { asDocument, type Both, checkMarks, connect, type Copy, remember, save, writeMarks } from './sync.ts'
import { oneLine } from './terminal.ts'

/** Merges both sides. If they conflict, returns a failure with the number of conflicts. */
const together = (both: Both): string | Failure => {
  const merged = merge(both.base, both.local, both.remote.content)
  return merged.clean ? merged.content : writeMarks(both, merged.conflicts.length)
}

export type Pulled = 'created' | 'updated' | 'unchanged' | 'kept' | 'merged'

interface PullOptions {
  readonly merge: boolean
  readonly force: boolean
}

/**
 * Updates the file from the document. Throws `file_changed` and leaves the file unchanged, or throws `merge_conflict` and writes conflict markers.
 */
export const pullInto = (
  call: Call,
  file: string,
  address: DocumentAddress,
  remote: Copy,
  { merge: merges, force }: PullOptions
): Pulled => {
  const before = readText(file)
  const local = before === undefined ? undefined : asDocument(before)
  const link = readLink(file)
  const linked = link !== undefined && link.doc === address.doc ? link : undefined
  const take = (how: Pulled): Pulled => {
    if (local !== remote.content) save(file, remote.content)
    connect(file, address, remote)
    return how
  }
  if (local === undefined) return take('created')
  if (local === remote.content) return take('unchanged')
  if (force || local === linked?.base) return take('updated')
  if (linked === undefined)
    throw new Failure(
      'file_changed',
      `${file} already exists with different text.`,
      `Choose another file, or add --force to replace this file.`,
      {
        file
      }
    )
  if (remote.content === linked.base) {
    connect(file, address, remote)
    return 'kept'
  }
  if (!merges)
    throw new Failure('file_changed', `Both ${file} and the document have changed.`, `To merge both: agmd docs pull ${file} --merge`, {
      file
    })
  checkMarks(call, file, local, linked.base)
  const merged = together({ file, address, base: linked.base, local, remote })
  if (merged instanceof Failure) throw merged
  save(file, merged)
  connect(file, address, remote)
  return 'merged'
}

const saidOfPull: Readonly<Record<Pulled, string>> = {
  created: 'Pulled into',
  updated: 'Updated',
  unchanged: 'No new changes for',
  kept: 'No new changes; your changes stay in',
  merged: 'Merged other people’s changes into'
}

export const pull = async (call: Call): Promise<void> => {
  const address = call.address()
  const file = call.words('output') ?? address.file
  if (file === undefined)
    throw new Failure(
      'usage',
      '-o is missing: name the file to write to.',
      'For example: -o notes.md. To print the text instead, use -o -.'
    )
  const remote = await call.client(address).readContent(address.doc)
  if (file === '-') return call.terminal.flags.json ? call.answer(remote, () => '') : call.terminal.text(remote.content)
  const how = pullInto(call, file, address, remote, { merge: call.flag('merge') === true, force: call.flag('force') === true })
  await remember(call, address)
  const { title, version } = remote
  call.answer(
    { ok: true, file, result: how, doc: address.doc, title, version },
    () => `${saidOfPull[how]} ${file} (“${oneLine(title)}”, version ${version})`
  )
}
