/** Files and documents: pull, push, and what happens when both changed (experience: the base is kept beside the file). */
import { existsSync } from 'node:fs'
import type { Client } from '../shared/client.ts'
import { ServiceError } from '../shared/errors.ts'
import { unifiedDiff } from '../shared/text/diff.ts'
import { markedLines, merge, mergeWithMarks } from '../shared/text/merge.ts'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { mustReadText, readText, writeWhole } from './files.ts'
import { fingerprint, rememberKey } from './hosts.ts'
import { type Link, readLink, writeLink } from './link.ts'
import type { Place } from './service.ts'
import { oneLine, readInput } from './terminal.ts'

/** A text and the version it is of. */
export interface Copy {
  readonly content: string
  readonly version: string
}

/** How often a push is tried again on what came in the meantime. */
const roundsMax = 5

/** Longest difference that is shown, in characters. */
const shownDiffCharsMax = 1024 * 1024

// ——— texts in files ———

/** Line ends and a byte-order mark are the file's own; the document has LF (api.md). */
export const asDocument = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')

const asFile = (text: string, former: string | undefined): string =>
  former?.includes('\r\n') === true ? text.replaceAll('\n', '\r\n') : text

const save = (file: string, text: string): void => writeWhole(file, asFile(text, readText(file)))

export const mustRead = (file: string): string => asDocument(mustReadText(file))

/** Errors: `markers_left`, when the file has marks of a merge that its document did not have. */
const checkMarks = (file: string, local: string, base: string): void => {
  const marks = markedLines(local)
  if (marks.length <= markedLines(base).length) return
  throw new Failure(
    'markers_left',
    `${file} still has marks of a merge (line ${marks.join(', ')}).`,
    'Keep what is right between <<<<<<< and >>>>>>>, remove the marks, and push again.',
    { file, lines: marks }
  )
}

/** Connects a file with a document: what it began with, and the key that opens it. */
export const connect = (file: string, { origin, doc, key }: Place, { content, version }: Copy): void => {
  writeLink(file, { origin, doc, ...(key === undefined ? {} : { key: fingerprint(key) }), version, base: content })
}

/** Keys are kept for the commands that name the document by its id or file. */
export const remember = async (call: Call, place: Place): Promise<void> => {
  if (place.key === undefined) return
  const { role } = await call.client(place).readDocument(place.doc)
  rememberKey(place.origin, { doc: place.doc, key: place.key, role })
}

/** `+12 −3`, in lines. */
export const counted = (before: string, after: string): string => {
  const lines = unifiedDiff(before, after, shownDiffCharsMax).split('\n')
  return `+${lines.filter((line) => line.startsWith('+')).length} −${lines.filter((line) => line.startsWith('-')).length}`
}

export const diffBetween = (before: string, after: string, names: readonly [string, string]): string => {
  if (before === after) return ''
  return `--- ${names[0]}\n+++ ${names[1]}\n${unifiedDiff(before, after, shownDiffCharsMax)}\n`
}

// ——— pull ———

/** Both changed: what is in the file now, and what the document says. */
interface Both {
  readonly file: string
  readonly place: Place
  readonly base: string
  readonly local: string
  readonly remote: Copy
}

/** Writes both sides into the file, between marks; the file then begins with the version of the other side. */
const writeMarks = ({ file, place, base, local, remote }: Both, conflicts: number): Failure => {
  const labels = { mine: `${file} (yours)`, base: 'before', theirs: `the document (${remote.version})` }
  save(file, mergeWithMarks(base, local, remote.content, labels))
  connect(file, place, remote)
  const places = `${conflicts} place${conflicts === 1 ? '' : 's'}`
  return new Failure(
    'merge_conflict',
    `Both changed the same, in ${places}. ${file} has both now, between marks.`,
    `Settle it in ${file}, then: agmd docs push ${file}`,
    { file, conflicts, version: remote.version }
  )
}

/** Both sides in one, or the failure that tells where they cannot be. */
const together = (both: Both): string | Failure => {
  const merged = merge(both.base, both.local, both.remote.content)
  return merged.clean ? merged.content : writeMarks(both, merged.conflicts.length)
}

export type Pulled = 'created' | 'updated' | 'unchanged' | 'kept' | 'merged'

interface PullOptions {
  readonly merge: boolean
  readonly force: boolean
}

/** Brings the file to where the document is. Errors: `file_changed`, `merge_conflict`; the file is as it was then, or has marks. */
export const pullInto = (file: string, place: Place, remote: Copy, { merge: merges, force }: PullOptions): Pulled => {
  const before = readText(file)
  const local = before === undefined ? undefined : asDocument(before)
  const link = readLink(file)
  const linked = link !== undefined && link.doc === place.doc ? link : undefined
  const take = (how: Pulled): Pulled => {
    if (local !== remote.content) save(file, remote.content)
    connect(file, place, remote)
    return how
  }
  if (local === undefined) return take('created')
  if (local === remote.content) return take('unchanged')
  if (force || local === linked?.base) return take('updated')
  if (linked === undefined)
    throw new Failure('file_changed', `${file} is there already, with another text.`, `Choose another file, or --force to replace it.`, {
      file
    })
  if (remote.content === linked.base) {
    connect(file, place, remote)
    return 'kept'
  }
  if (!merges)
    throw new Failure(
      'file_changed',
      `${file} was changed, and so was the document.`,
      `To put both together: agmd docs pull ${file} --merge`,
      { file }
    )
  checkMarks(file, local, linked.base)
  const merged = together({ file, place, base: linked.base, local, remote })
  if (merged instanceof Failure) throw merged
  save(file, merged)
  connect(file, place, remote)
  return 'merged'
}

const saidOfPull: Readonly<Record<Pulled, string>> = {
  created: 'Pulled into',
  updated: 'Updated',
  unchanged: 'Nothing new in',
  kept: 'Nothing new; your changes stay in',
  merged: 'Merged what others changed into'
}

export const pull = async (call: Call): Promise<void> => {
  const place = call.place()
  const file = call.words('output') ?? place.file
  if (file === undefined) throw new Failure('usage', '-o is missing: the file to write to.', 'For example -o notes.md; -o - prints it.')
  const remote = await call.client(place).readContent(place.doc)
  if (file === '-') return call.terminal.text(remote.content)
  const how = pullInto(file, place, remote, { merge: call.flag('merge') === true, force: call.flag('force') === true })
  await remember(call, place)
  const { title, version } = remote
  call.answer(
    { ok: true, file, result: how, doc: place.doc, title, version },
    () => `${saidOfPull[how]} ${file} (“${oneLine(title)}”, version ${version})`
  )
}

// ——— push ———

/** What a push is about. */
interface Push {
  readonly call: Call
  readonly client: Client
  readonly place: Place
  readonly file: string
  readonly local: string
  /** The text and version that the file began with. */
  readonly base: Copy
  /** Whether to put both together: said beforehand, or to be asked. */
  readonly merges: boolean | undefined
}

const isConflict = (error: unknown): boolean => error instanceof ServiceError && error.code === 'version_conflict'

/** The version that a push begins with: of the file, or as it was said. Errors: `not_pulled`. */
const baseOf = async (call: Call, client: Client, place: Place, file: string, local: string): Promise<Copy> => {
  const said = call.words('base-version')
  const link = readLink(file)
  if (said !== undefined) return { version: said, content: (await client.readContent(place.doc, { version: said })).content }
  if (link !== undefined && link.doc === place.doc) return { version: link.version, content: link.base }
  const remote = await client.readContent(place.doc)
  // An empty document loses nothing, nor does one that says the same.
  if (remote.content === '' || remote.content === local || call.flag('force') === true) return remote
  throw new Failure(
    'not_pulled',
    `${file} was not pulled from this document, so nobody knows what it began with.`,
    `Pull first (agmd docs pull URL -o ${file}), say --base-version, or --force to replace the document.`
  )
}

interface Written {
  readonly version: string
  readonly content: string
  readonly merged: boolean
  readonly changed: boolean
  readonly diff?: string | undefined
}

/** Replaces the document by a text that is made on the version `on`; one attempt. */
const replace = async (
  { call, client, place }: Push,
  text: string,
  on: string
): Promise<{ version: string; changed: boolean; diff?: string | undefined }> => {
  const label = call.words('label')
  const dryRun = call.flag('dry-run') === true
  return client.replaceContent(place.doc, {
    content: text,
    baseVersion: on,
    ...(label === undefined ? {} : { label }),
    ...(dryRun ? { dryRun } : {})
  })
}

/** Whether a merge may be pushed: said beforehand, or agreed to now. */
const mayMerge = async ({ call, file, merges }: Push, conflicts: number): Promise<boolean> => {
  if (merges !== undefined) return merges
  const question =
    conflicts === 0
      ? `The document changed since the pull, elsewhere than ${file}. Put both together and push?`
      : `The document changed since the pull, in the same places as ${file} (${conflicts}). Write both into the file?`
  // --yes is about what is destroyed; a merge has a word of its own.
  return call.terminal.asks && !call.terminal.flags.yes && call.terminal.confirm(question)
}

const needed = (file: string, version: string, conflicts: number): Failure =>
  new Failure(
    'merge_needed',
    `The document changed since the pull${conflicts === 0 ? '; the changes do not touch yours' : `, in the same places as ${file}`}. Nothing was pushed.`,
    `agmd docs diff ${file} shows it; to put both together: agmd docs push ${file} --merge`,
    { file, currentVersion: version, conflicts, clean: conflicts === 0 }
  )

/** The text that has both. Errors: `merge_needed`, `merge_conflict`. */
const reconcile = async (push: Push, local: string, base: string, remote: Copy): Promise<string> => {
  const { file, place } = push
  const merged = merge(base, local, remote.content)
  const conflicts = merged.clean ? 0 : merged.conflicts.length
  if (!(await mayMerge(push, conflicts))) throw needed(file, remote.version, conflicts)
  if (merged.clean) return merged.content
  if (push.call.flag('dry-run') === true) throw needed(file, remote.version, conflicts)
  throw writeMarks({ file, place, base, local, remote }, conflicts)
}

/** Pushes, and where the document was changed meanwhile puts both together and tries again, if that is wanted. */
const pushRounds = async (push: Push): Promise<Written> => {
  const { client, place, call } = push
  let base = push.base
  let text = push.local
  for (let round = 1; ; round++) {
    try {
      const done = await replace(push, text, base.version)
      return { ...done, content: text, merged: text !== push.local }
    } catch (error) {
      if (!isConflict(error) || round === roundsMax) throw error
    }
    const remote = await client.readContent(place.doc)
    if (remote.content === text) return { version: remote.version, content: text, merged: text !== push.local, changed: false }
    if (call.flag('force') !== true) text = await reconcile(push, text, base.content, remote)
    base = remote
  }
}

const proposeInstead = async ({ call, client, place, file, local, base }: Push): Promise<void> => {
  const answer = await client.replaceContent(place.doc, { content: local, baseVersion: base.version, as: 'suggestions' })
  const count = answer.suggestions?.length ?? 0
  call.answer({ ...answer, file }, () => `Proposed ${count} change${count === 1 ? '' : 's'}; the document is as it was.`)
}

const tellPush = ({ call, file, place, base, local }: Push, { version, content, merged, changed, diff }: Written): void => {
  const answer = {
    ok: true,
    file,
    doc: place.doc,
    baseVersion: base.version,
    version,
    changed,
    merged,
    ...(diff === undefined ? {} : { diff })
  }
  call.answer(answer, () => {
    if (diff !== undefined) return diff === '' ? 'Nothing would change.' : diff
    if (!changed) return `Nothing to push: ${file} says nothing new.`
    const how = merged ? 'Merged and pushed' : 'Pushed'
    return `${how} ${file} (${counted(base.content, merged ? content : local)}, version ${base.version} → ${version})`
  })
}

/** The file of a push: the one that was named, in one place or the other. Errors: `usage`. */
export const fileOf = (call: Call, place: Place): string => {
  const file = call.words('file') ?? place.file
  if (file === undefined) throw new Failure('usage', '-f is missing: the file.', 'For example -f notes.md.')
  return file
}

/** Writes down what the file and its document say now. */
const finish = ({ file, place, local }: Push, { content, version }: Written): void => {
  if (content !== local) save(file, content)
  connect(file, place, { content, version })
}

/** Pushes a file without a word about it. Errors: as `push`. */
export const pushFile = async (call: Call, place: Place, file: string, merges: boolean): Promise<Written> => {
  const local = mustRead(file)
  const client = call.client(place)
  const base = await baseOf(call, client, place, file, local)
  checkMarks(file, local, base.content)
  const about: Push = { call, client, place, file, local, base, merges }
  const written = await pushRounds(about)
  finish(about, written)
  return written
}

export const push = async (call: Call): Promise<void> => {
  const place = call.place()
  const file = fileOf(call, place)
  const local = mustRead(file)
  const client = call.client(place)
  const base = await baseOf(call, client, place, file, local)
  const about: Push = { call, client, place, file, local, base, merges: call.flag('merge') }
  if (call.flag('force') !== true) {
    checkMarks(file, local, base.content)
    if (local === base.content) return tellPush(about, { content: local, version: base.version, merged: false, changed: false })
  }
  if (call.flag('suggest') === true) return proposeInstead(about)
  const written = await pushRounds(about)
  if (call.flag('dry-run') !== true) {
    finish(about, written)
    await remember(call, place)
  }
  return tellPush(about, written)
}

// ——— looking ———

const states = {
  same: 'is as its document is',
  here: 'was changed: push it',
  there: 'is behind its document: pull it',
  both: 'was changed, and so was its document: push or pull with --merge'
} as const

const stateOf = (local: string, base: string, remote: string): keyof typeof states => {
  if (local === remote) return 'same'
  if (remote === base) return 'here'
  return local === base ? 'there' : 'both'
}

/** Errors: `not_pulled`. */
const linkOf = (file: string): Link => {
  const link = readLink(file)
  if (link !== undefined) return link
  throw new Failure('not_pulled', `${file} is not connected with a document.`, `Pull it: agmd docs pull URL -o ${file}`)
}

export const status = async (call: Call): Promise<void> => {
  const file = call.positional('FILE') ?? ''
  const link = linkOf(file)
  const place = call.place('FILE')
  const local = mustRead(file)
  const remote = await call.client(place).readContent(place.doc)
  const state = stateOf(local, link.base, remote.content)
  const answer = { ok: true, file, doc: place.doc, state, baseVersion: link.version, version: remote.version }
  call.answer(answer, () => `${file} ${states[state]} (“${oneLine(remote.title)}”, version ${remote.version})`)
}

export const diff = async (call: Call): Promise<number> => {
  const place = call.place()
  const client = call.client(place)
  const from = call.words('from')
  const to = call.words('to')
  const shown = (text: string, facts: object): number => {
    if (call.terminal.flags.json) call.answer({ ...facts, changed: text !== '', diff: text }, () => text)
    else call.terminal.text(text)
    return call.flag('exit-code') === true && text !== '' ? 1 : 0
  }
  if (from !== undefined) {
    const found = await client.readDiff(place.doc, { from, ...(to === undefined ? {} : { to }) })
    const head = `--- ${found.fromVersion}\n+++ ${found.toVersion}\n`
    return shown(found.changed ? `${head}${found.diff}\n` : '', { fromVersion: found.fromVersion, toVersion: found.toVersion })
  }
  const file = fileOf(call, place)
  const local = mustRead(file)
  const remote = await client.readContent(place.doc, to === undefined ? {} : { version: to })
  return shown(diffBetween(remote.content, local, [`document ${remote.version}`, file]), { file, version: remote.version })
}

// ——— beginning ———

export const create = async (call: Call): Promise<void> => {
  const file = call.words('file')
  const content = file === undefined ? undefined : file === '-' ? asDocument(await readInput()) : mustRead(file)
  const title = call.words('title')
  if (file !== undefined && file !== '-' && existsSync(file) && readLink(file) !== undefined)
    throw new Failure('file_changed', `${file} is connected with a document already.`, `Push it: agmd docs push ${file}`)
  const origin = call.origin()
  const made = await call
    .client()
    .createDocument({ ...(title === undefined ? {} : { title }), ...(content === undefined ? {} : { content }) })
  const place: Place = { origin, doc: made.id, key: made.key }
  if (made.key !== undefined) rememberKey(origin, { doc: made.id, key: made.key, role: 'owner' })
  if (file !== undefined && file !== '-') connect(file, place, { content: content ?? '', version: made.version })
  call.answer(made, () => made.url)
  if (made.key !== undefined) call.terminal.say('Whoever has this link owns the document. To give others less: agmd share create.')
}
