/** Replaces the entire text of a document, or restores a version. The difference from the current text becomes the change. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { type Edit, rebased } from '../../../shared/text/diff.ts'
import { requireRightNow } from '../rights/authority.ts'
import { type Caller, nameOfActor } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { contentAt, type Snapshot } from './journal.ts'
import type { Key } from '../ports.ts'
import { keys, type Revision } from '../records/keys.ts'
import { type AnnotatedDocument, withAnnotations } from '../review/annotated-document.ts'
import { getRevision } from './revisions.ts'
import type { OpenDocument } from './open-document.ts'
import type { Service } from '../service.ts'
import { unitsOf } from './text-work.ts'
import {
  versionsNamed,
  namesNone,
  matches,
  baseOf,
  othersChanges,
  conflict,
  checkSize,
  type TextChange,
  type Changed,
  changeText,
  editsTo
} from './content.ts'
import { type Follow, withCurrentText } from './current-text.ts'

interface Replacement extends Omit<TextChange, 'edits' | 'isCompared'> {
  readonly content: string
  readonly baseVersion?: string | undefined
  readonly dryRun?: boolean | undefined
  readonly onConflict?: 'refuse' | 'merge' | undefined
}

type Replaced = Output<'replaceContent'>

/** The text that a caller read, and the edits that turn it into the replacement. */
interface Plan {
  readonly seen: Snapshot
  readonly content: string
  readonly edits: readonly Edit[]
  readonly isMerged: boolean
  readonly others?: Replaced['othersChanged']
}

/** Returns the plan for a replacement. Throws `version_conflict`, unless the caller asks for a merge and the changes do not touch each other. */
const planOf = async (service: Service, openDoc: OpenDocument, what: Replacement, seen: Snapshot): Promise<Plan> => {
  const { content, baseVersion, onConflict } = what
  const doc = openDoc.id
  if (matches(baseVersion, seen.version))
    return { seen, content, edits: await editsTo(service, doc, seen.content, content), isMerged: false }
  const base = onConflict === 'merge' ? await baseOf(service, doc, baseVersion ?? '') : undefined
  const merged = base === undefined ? undefined : await service.texts.do(doc, 'merge', base, content, seen.content)
  if (merged?.clean !== true) throw await conflict(service, openDoc, baseVersion ?? '', content, seen)
  checkSize(merged.content)
  const others = await othersChanges(service, doc, { version: versionsNamed(baseVersion ?? '')[0] ?? '', content: base ?? '' }, seen)
  return { seen, content: merged.content, edits: await editsTo(service, doc, seen.content, merged.content), isMerged: true, others }
}

/**
 * Returns the edits of a plan, moved to the current text, which may have changed while they were computed. A merge keeps the changes that were made
 * meanwhile. A replacement without a version overwrites them, as if it had arrived a moment later. Returns undefined if the changes conflict.
 * Synchronous.
 */
const editsNow = (
  { seen, edits, isMerged }: Plan,
  openDoc: OpenDocument,
  baseVersion: string | undefined,
  follow: Follow
): readonly Edit[] | undefined => {
  const now = openDoc.snapshot()
  if (now.tag === seen.tag) return edits
  if (isMerged) return follow(edits)
  return matches(baseVersion, now.version) ? rebased(edits, seen.content, now.content) : undefined
}

/** Returns the text that an unguarded replacement overwrote, and how to restore it. `shown` is the newest revision before the replacement. */
export const unseenOf = (
  doc: string,
  version: string,
  { after, revisionBefore }: Changed,
  shown: Revision | undefined
): Pick<Replaced, 'unguarded' | 'replaced' | 'undo'> => ({
  unguarded: true,
  replaced: { version, revisionId: revisionBefore, authors: shown?.id === revisionBefore ? shown.authors.map(nameOfActor) : [] },
  undo: { method: 'POST', path: `/api/docs/${doc}/restore`, body: { revision: revisionBefore, baseVersion: after.version } }
})

const factsOf = ({ isMerged, others }: Plan): Pick<Replaced, 'merged' | 'othersChanged'> =>
  isMerged ? { merged: true, ...(others && { othersChanged: others }) } : {}

/** Returns the response for a replacement that is only tried. */
const tried = async ({ service, doc, openDoc }: AnnotatedDocument, plan: Plan): Promise<Replaced> => {
  const { seen, content } = plan
  await openDoc.durable()
  const difference = await service.texts.do(doc, 'unifiedDiff', seen.content, content, limits.diffUnitsMax)
  return { ok: true, version: seen.version, revisionId: null, changed: seen.content !== content, ...factsOf(plan), diff: difference }
}

/**
 * Makes a replacement by its edits of the current text. `newest` is the key of the newest revision. There is no `await` before the edits are made,
 * because an edit in between would be lost.
 */
const carryOut = (
  opened: AnnotatedDocument,
  caller: Caller,
  what: Replacement,
  plan: Plan,
  edits: readonly Edit[],
  newest: Key
): Promise<Replaced> => {
  const { service, doc, openDoc } = opened
  const cause = plan.isMerged && what.cause === 'put' ? 'merge' : what.cause
  const changed = edits.length > 0
  const before = openDoc.snapshot()
  const isUnguarded = (cause === 'put' || cause === 'restore') && changed && namesNone(what.baseVersion) && before.content !== ''
  return changeText(
    opened,
    caller,
    { ...what, cause, edits, isCompared: true, isUnguarded },
    {
      reads: [newest],
      also: (tx, made) => {
        const unseen = isUnguarded ? unseenOf(doc, before.version, made, made.typed ?? tx.read<Revision>(newest)) : {}
        const answer = { ok: true as const, version: made.after.version, revisionId: made.revisionId, changed, ...factsOf(plan), ...unseen }
        return { written: [], answer: remember(service, tx, caller, doc, answer) }
      }
    }
  )
}

const replaceIn = (service: Service, caller: Caller, doc: string, what: Replacement): Promise<Replaced> =>
  withAnnotations(service, doc, async (opened) => {
    const { openDoc } = opened
    // Without a base version there is nothing to merge, and the write would replace text that the caller never saw.
    if (what.onConflict === 'merge' && namesNone(what.baseVersion))
      throw new ServiceError('invalid_request', { details: [{ path: 'baseVersion', message: 'must be given with onConflict=merge' }] })
    return withCurrentText(
      openDoc,
      async (seen) => {
        const newest = keys.revision(doc, (await service.ledger.head(doc)).revision)
        const plan = await planOf(service, openDoc, what, seen)
        checkSize(plan.content)
        // Comparing large documents takes a while, and the caller's access may end during it.
        // `Live.requireRight` knows immediately if this process ended the access, but not if another node did.
        const isLong = service.turns !== null || unitsOf([seen.content, plan.content]) > limits.textInlineUnitsMax
        if (isLong && what.dryRun !== true) await requireRightNow(service, doc, caller)
        return { plan, newest }
      },
      ({ plan, newest }, follow) => {
        if (what.dryRun === true) return tried(opened, plan)
        const edits = editsNow(plan, openDoc, what.baseVersion, follow)
        return edits && carryOut(opened, caller, what, plan, edits, newest)
      }
    )
  })

/**
 * Only proposals have `granularity` and `note`. A caller that sends these fields without `mode: suggest` meant to propose. Throws
 * `invalid_request`, which says how to propose.
 */
export const requireProposing = (input: Pick<Input<'replaceContent'>, 'mode' | 'granularity' | 'note'>): void => {
  if (input.mode === 'suggest') return
  const path = (['granularity', 'note'] as const).find((field) => input[field] !== undefined)
  if (path === undefined) return
  const hint = `Send mode: "suggest" with ${path} to propose the change, or leave ${path} out to write it.`
  throw new ServiceError('invalid_request', { details: [{ path, message: 'is allowed only if mode is suggest' }], hint })
}

export const replaceContent = async (service: Service, caller: Caller, doc: string, input: Input<'replaceContent'>): Promise<Replaced> => {
  requireProposing(input)
  checkSize(input.content)
  return replaceIn(service, caller, doc, { ...input, cause: 'put', event: 'content.replaced' })
}

export const restoreRevision = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'restoreRevision'>
): Promise<Replaced> => {
  const revision = await getRevision(service, doc, input.revision)
  const content = await contentAt(service.storage, doc, revision)
  return replaceIn(service, caller, doc, {
    ...input,
    content,
    cause: 'restore',
    event: 'content.restored',
    facts: { revision: revision.id }
  })
}
