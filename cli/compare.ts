/** The commands `docs status` and `docs diff`, which compare a file with its document. */
import type { Output } from '../shared/operations/index.ts'
import { unifiedDiff } from '../shared/text/hunks.ts'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { type Link, readLink } from './pulled-file.ts'
import { fileOf, marksLeft, mustRead } from './sync.ts'
import { oneLine } from './terminal.ts'

/** Longest diff that the client shows, in UTF-16 units. */
const shownDiffUnitsMax = 1024 * 1024

/** Returns the numbers of added and removed lines, such as `+12 −3`. */
export const counted = (before: string, after: string): string => {
  const lines = unifiedDiff(before, after, shownDiffUnitsMax).split('\n')
  return `+${lines.filter((line) => line.startsWith('+')).length} −${lines.filter((line) => line.startsWith('-')).length}`
}

/** Describes the suggestions that a command made, or that it would make without `--dry-run`. */
export const toldProposals = (
  { terminal }: Call,
  { suggestions = [], diff }: Pick<Output<'replaceContent'>, 'suggestions' | 'diff'>,
  dryRun: boolean
): string => {
  const changes = `${suggestions.length} change${suggestions.length === 1 ? '' : 's'}`
  if (!dryRun) return `Suggested ${changes}. The document is unchanged.`
  return suggestions.length === 0 ? 'There is nothing to suggest.' : `This would suggest ${changes}:\n${terminal.shown(diff ?? '')}`
}

const diffBetween = (before: string, after: string, names: readonly [string, string]): string => {
  if (before === after) return ''
  return `--- ${names[0]}\n+++ ${names[1]}\n${unifiedDiff(before, after, shownDiffUnitsMax)}\n`
}

const states = {
  same: 'matches its document',
  here: 'has changes: push it',
  there: 'is older than its document: pull it',
  both: 'and its document have both changed: push or pull with --merge'
} as const

const stateOf = (local: string, base: string, remote: string): keyof typeof states => {
  if (local === remote) return 'same'
  if (remote === base) return 'here'
  return local === base ? 'there' : 'both'
}

/** Returns a file's link to its document. Throws `not_pulled` if there is none. */
const linkOf = (file: string): Link => {
  const link = readLink(file)
  if (link !== undefined) return link
  throw new Failure('not_pulled', `${file} is not linked to a document.`, `Pull the document: agmd docs pull URL -o ${file}`)
}

export const status = async (call: Call): Promise<void> => {
  const file = call.positional('FILE') ?? ''
  const link = linkOf(file)
  const address = call.address('FILE')
  const local = mustRead(file)
  const remote = await call.client(address).readContent(address.doc)
  const state = stateOf(local, link.base, remote.content)
  const marks = marksLeft(local, link.base)
  const answer = { ok: true, file, doc: address.doc, state, baseVersion: link.version, version: remote.version, markedLines: marks }
  const settle = marks.length === 0 ? '' : `\n${file} still has conflict markers (line ${marks.join(', ')}): resolve them before you push.`
  call.answer(answer, () => `${file} ${states[state]} (“${oneLine(remote.title)}”, version ${remote.version})${settle}`)
}

export const diff = async (call: Call): Promise<number> => {
  const address = call.address()
  const client = call.client(address)
  const from = call.words('from')
  const to = call.words('to')
  const shown = (text: string, facts: object): number => {
    if (call.terminal.flags.json) call.answer({ ...facts, changed: text !== '', diff: text }, () => text)
    else call.terminal.text(text)
    return call.flag('exit-code') === true && text !== '' ? 1 : 0
  }
  if (from !== undefined) {
    const found = await client.readDiff(address.doc, { from, ...(to === undefined ? {} : { to }) })
    const head = `--- ${found.fromVersion}\n+++ ${found.toVersion}\n`
    return shown(found.changed ? `${head}${found.diff}\n` : '', { fromVersion: found.fromVersion, toVersion: found.toVersion })
  }
  const file = fileOf(call, address)
  const local = mustRead(file)
  const remote = await client.readContent(address.doc, to === undefined ? {} : { version: to })
  return shown(diffBetween(remote.content, local, [`document ${remote.version}`, file]), { file, version: remote.version })
}
