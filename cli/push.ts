/** The command `docs push`, which writes a file to its document. If the document has changed since the pull, the command can merge both. */
import type { Client } from '../shared/client.ts'
import { ServiceError } from '../shared/errors.ts'
import type { Request as InputOf } from '../shared/operations/index.ts'
import { merge } from '../shared/text/merge.ts'
import type { Call } from './call.ts'
import { counted, toldProposals } from './compare.ts'
import { Failure } from './failure.ts'
import { readLink } from './pulled-file.ts'
import type { DocumentAddress } from './service.ts'
import { checkMarks, checkStill, connect, type Copy, fileOf, mustRead, remember, save, writeMarks } from './sync.ts'

/** Maximum number of attempts to push while other people change the document. */
const roundsMax = 5

/** A push: the file, its document and the options. */
interface Push {
  readonly call: Call
  readonly client: Client
  readonly address: DocumentAddress
  readonly file: string
  readonly local: string
  /** The text and version on which the file is based. */
  readonly base: Copy
  /** Whether to merge. If undefined, the person is asked. */
  readonly merges: boolean | undefined
}

const isConflict = (error: unknown): boolean => error instanceof ServiceError && error.code === 'version_conflict'

/** Returns the version on which a push is based: the version of the pulled file, or the given version. Throws `not_pulled`. */
const baseOf = async (call: Call, client: Client, address: DocumentAddress, file: string, local: string): Promise<Copy> => {
  const said = call.words('base-version')
  const link = readLink(file)
  if (said !== undefined) return { version: said, content: (await client.readContent(address.doc, { version: said })).content }
  if (link !== undefined && link.doc === address.doc) return { version: link.version, content: link.base }
  const remote = await client.readContent(address.doc)
  // No text can be lost if the document is empty or has the same text.
  if (remote.content === '' || remote.content === local || call.flag('force') === true) return remote
  throw new Failure(
    'not_pulled',
    `${file} was not pulled from this document, so its base version is unknown.`,
    `Pull first (agmd docs pull URL -o ${file}), add --base-version, or use --force to replace the document.`
  )
}

interface Written {
  readonly version: string
  readonly content: string
  readonly merged: boolean
  readonly changed: boolean
  readonly diff?: string | undefined
}

/** Returns the options of a push, apart from the text. */
const saidOf = (call: Call): Partial<InputOf<'replaceContent'>> => {
  const { granularity, note, label } = call.fields as Partial<InputOf<'replaceContent'>>
  return {
    ...(granularity === undefined ? {} : { granularity }),
    ...(note === undefined ? {} : { note }),
    ...(label === undefined ? {} : { label }),
    ...(call.flag('dry-run') === true ? { dryRun: true } : {})
  }
}

/** Tries once to replace the document with text that is based on the version `on`. */
const replace = async (
  { call, client, address }: Push,
  text: string,
  on: string
): Promise<{ version: string; changed: boolean; diff?: string | undefined }> =>
  client.replaceContent(address.doc, { content: text, baseVersion: on, ...saidOf(call) })

/** Whether a merge may be pushed. If this was not decided in advance, the person is asked. */
const mayMerge = async ({ call, file, merges }: Push, conflicts: number): Promise<boolean> => {
  if (merges !== undefined) return merges
  const question =
    conflicts === 0
      ? `The document changed since the pull, but not in the same places as ${file}. Merge and push?`
      : `The document changed since the pull, in the same places as ${file} (${conflicts}). Write both versions into the file?`
  // --yes only confirms destructive commands. A merge has a separate option.
  return call.terminal.asks && !call.terminal.flags.yes && call.terminal.confirm(question)
}

const needed = (file: string, version: string, conflicts: number): Failure =>
  new Failure(
    'merge_needed',
    `The document changed since the pull${conflicts === 0 ? '; the changes do not overlap with yours' : `, in the same places as ${file}`}. Nothing was pushed.`,
    `To compare: agmd docs diff ${file}. To merge: agmd docs push ${file} --merge`,
    { file, currentVersion: version, conflicts, clean: conflicts === 0 }
  )

/** Returns the merged text. Throws `merge_needed` or `merge_conflict`. */
const reconcile = async (push: Push, local: string, base: string, remote: Copy): Promise<string> => {
  const { file, address } = push
  const merged = merge(base, local, remote.content)
  const conflicts = merged.clean ? 0 : merged.conflicts.length
  if (!(await mayMerge(push, conflicts))) throw needed(file, remote.version, conflicts)
  if (merged.clean) return merged.content
  if (push.call.flag('dry-run') === true) throw needed(file, remote.version, conflicts)
  checkStill(file, push.local)
  throw writeMarks({ file, address, base, local, remote }, conflicts)
}

/** Pushes the file. If the document has changed meanwhile, merges and tries again, provided that merging is allowed. */
const pushRounds = async (push: Push): Promise<Written> => {
  const { client, address, call } = push
  let base = push.base
  let text = push.local
  for (let round = 1; ; round++) {
    try {
      const done = await replace(push, text, base.version)
      return { ...done, content: text, merged: text !== push.local }
    } catch (error) {
      if (!isConflict(error) || round === roundsMax) throw error
    }
    const remote = await client.readContent(address.doc)
    if (remote.content === text) return { version: remote.version, content: text, merged: text !== push.local, changed: false }
    if (call.flag('force') !== true) text = await reconcile(push, text, base.content, remote)
    base = remote
  }
}

const proposeInstead = async ({ call, client, address, file, local, base }: Push): Promise<void> => {
  const answer = await client.replaceContent(address.doc, { content: local, baseVersion: base.version, mode: 'suggest', ...saidOf(call) })
  call.answer({ ...answer, file }, () => toldProposals(call, answer, call.flag('dry-run') === true))
}

const tellPush = ({ call, file, address, base, local }: Push, { version, content, merged, changed, diff }: Written): void => {
  const answer = {
    ok: true,
    file,
    doc: address.doc,
    baseVersion: base.version,
    version,
    changed,
    merged,
    ...(diff === undefined ? {} : { diff })
  }
  call.answer(answer, () => {
    if (diff !== undefined) return diff === '' ? 'There is nothing to change.' : call.terminal.shown(diff)
    if (!changed) return `Nothing to push: ${file} has no changes.`
    const how = merged ? 'Merged and pushed' : 'Pushed'
    return `${how} ${file} (${counted(base.content, merged ? content : local)}, version ${base.version} → ${version})`
  })
}

/**
 * Stores the common state of the file and its document. If the file was saved during the push, neither the file nor its base is changed. Throws
 * `file_changed`.
 */
const finish = ({ file, address, local }: Push, { content, version }: Written): void => {
  if (content !== local) {
    checkStill(file, local)
    save(file, content)
  }
  connect(file, address, { content, version })
}

/** Whether the file has become empty. Usually, the cause is a program that is writing the file. */
export const isEmptied = (local: string, base: string): boolean => local.trim() === '' && base.trim() !== ''

/** Pushes a file without printing anything. Throws the errors of `docs push`. */
export const pushFile = async (call: Call, address: DocumentAddress, file: string, merges: boolean): Promise<Written> => {
  const local = mustRead(file)
  const client = call.client(address)
  const base = await baseOf(call, client, address, file, local)
  checkMarks(call, file, local, base.content)
  const about: Push = { call, client, address, file, local, base, merges }
  const written = await pushRounds(about)
  finish(about, written)
  return written
}

export const push = async (call: Call): Promise<void> => {
  const address = call.address()
  const file = fileOf(call, address)
  const local = mustRead(file)
  const client = call.client(address)
  const base = await baseOf(call, client, address, file, local)
  const about: Push = { call, client, address, file, local, base, merges: call.flag('merge') }
  checkMarks(call, file, local, base.content)
  if (call.flag('force') !== true && local === base.content)
    return tellPush(about, { content: local, version: base.version, merged: false, changed: false })
  if (isEmptied(local, base.content) && call.flag('dry-run') !== true) await call.confirm(`${file} is empty. Empty the document too?`)
  if (call.flag('suggest') === true) return proposeInstead(about)
  const written = await pushRounds(about)
  if (call.flag('dry-run') !== true) {
    finish(about, written)
    await remember(call, address)
  }
  return tellPush(about, written)
}
