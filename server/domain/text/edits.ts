/**
 * Edits by programs. An edit names text that the program has read, and is made in the current text. The service finds where that text is now, so it
 * refuses an edit only if exactly that text has changed. Either all edits are made, or none (docs/api.md, Text and versions).
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { append, insertionAt, isByNumber, type Operation, resolve } from '../../../shared/text/operations.ts'
import { sectionOf, type Source, sourceOf } from '../../../shared/text/resolution.ts'
import { isUnresolved, type Resolved } from '../../../shared/text/resolved.ts'
import { type Structured, structuredNow } from '../../../shared/text/structured.ts'
import { requireRightNow } from '../rights/authority.ts'
import { type Caller, requireRole } from '../rights/caller.ts'
import { changeText, checkSize, namesNone, othersChanges, versionsNamed } from './content.ts'
import { type Follow, withCurrentText } from './current-text.ts'
import { requireProposing, unseenOf } from './replacement.ts'
import { type Change, comparesTexts, type EditPlan, type Planned, planOf, refuse, resolveAll, resultsOf } from './edit-plan.ts'
import { remember } from '../records/idempotency.ts'
import type { Key } from '../ports.ts'
import { keys, type Revision } from '../records/keys.ts'
import { hunksShown, noteOf, proposeHunks } from '../review/proposals.ts'
import { type AnnotatedDocument, withAnnotations } from '../review/annotated-document.ts'
import type { Service } from '../service.ts'
import { anchorRanges, changedSince, type BaseText, baseTextOf } from './targets.ts'

type Edited = Output<'editContent'>

/**
 * Returns the range of the read text that must be located in the current text. For an addition to a section, this is the section's heading, so that
 * the text is added at the current end of the section. For an insertion, it is the text next to the insertion.
 */
const followed = (source: Source, { operation, change }: Planned): Range => {
  if (change.neighbor !== undefined) return change.neighbor
  if (operation.op !== 'append' || operation.section === undefined) return change
  const section = sectionOf(source, operation.section, operation.occurrence)
  return isUnresolved(section) ? change : { from: section.from, to: section.bodyFrom }
}

const isStructured = (operation: Operation): operation is Structured =>
  ['replace_all', 'append_row', 'set_cell', 'check', 'append_item'].includes(operation.op)

/** Whether an operation inserts at the beginning or the end of the document. It refers to no existing text, so it can always be resolved. */
const isAtEdge = (operation: Operation): boolean =>
  (operation.op === 'append' && operation.section === undefined) || (operation.op === 'insert' && operation.at !== undefined)

/** Returns the position of an operation in the current text; undefined if its target has changed. */
const landed = (now: Source, { operation, change }: Planned, quote: string, range: Range | undefined): Resolved | undefined => {
  // The operation is resolved again, because the beginning and the end of the document may have moved.
  if (isAtEdge(operation)) return resolve(now, operation) as Resolved
  if (range === undefined || now.text.slice(range.from, range.to) !== quote) return undefined
  if (operation.op === 'insert') return insertionAt(now.text, operation, range)
  if (isStructured(operation)) return structuredNow(now, operation, change, range)
  if (operation.op !== 'append') return { ...change, ...range }
  const section = now.outline.find(({ from }) => from === range.from)
  return section && append(now, section, operation.markdown)
}

/**
 * Finds the targets of operations in the current text, even if the operations refer to an earlier version. Returns the changes, in the order
 * of the operations. Throws `target_*`. Synchronous.
 */
const land = ({ openDoc }: AnnotatedDocument, ground: BaseText, operations: readonly Operation[]): Change[] => {
  const { content, version } = openDoc.snapshot()
  const read = sourceOf(ground.content())
  const planned = resolveAll(read, operations, version)
  const now = sourceOf(content)
  const places = planned.map((plan) => followed(read, plan))
  const aims = anchorRanges(openDoc, ground, places)
  const changes = planned.map((plan, position): Change | undefined => {
    const { from, to } = places[position] as Range
    const change = landed(now, plan, read.text.slice(from, to), aims[position]?.range)
    const { operation, matched } = plan.change
    return change && { ...change, ...(matched !== undefined && { matched }), operation }
  })
  const message = 'The text that this operation refers to has changed since the version that you read.'
  const failures = new Map(
    planned.flatMap(({ change: { operation } }, position) => {
      if (changes[position] !== undefined) return []
      const { from, to } = places[position] as Range
      const sought = read.text.slice(from, Math.min(to, from + limits.targetUnitsMax))
      const around = changedSince(openDoc, ground, { from, to })
      return [[operation, { operation, code: 'target_changed' as const, message, sought, around }]]
    })
  )
  refuse([...failures.values()], version, now)
  return changes as Change[]
}

/** Returns changes at their positions in the current text. Returns undefined if the text of one was edited meanwhile. */
const shifted = (changes: readonly Change[], follow: Follow): Change[] | undefined => {
  const places = changes.map((change) => follow([change])?.[0])
  return places.every((place) => place !== undefined) ? changes.map((change, index) => ({ ...change, ...places[index] })) : undefined
}

/** Returns a plan with its positions in the current text. Returns undefined if the text of a target was edited meanwhile. */
const brought = (plan: EditPlan, follow: Follow): EditPlan | undefined => {
  const edits = follow(plan.edits)
  const changes = shifted(plan.changes, follow)
  return edits === undefined || changes === undefined ? undefined : { ...plan, edits, changes }
}

/**
 * Computes a plan without blocking other requests, and calls `use` with the plan while its positions match the current text. Throws the errors of
 * the operations, and `busy` if other people keep changing the same part.
 */
const withPlan = <T>(
  { service, doc, openDoc }: AnnotatedDocument,
  { operations, mode, granularity }: Input<'editContent'>,
  use: (plan: EditPlan) => Promise<T>
): Promise<T> =>
  withCurrentText(
    openDoc,
    ({ content, version }) =>
      service.texts.do(doc, 'planEdits', content, version, operations, mode === 'suggest' ? granularity : undefined),
    (plan, follow) => {
      const now = brought(plan, follow)
      return now && use(now)
    }
  )

/** Whether a plan replaces a section although the caller named no version and no operation quotes the section's text. */
const replacesUnread = ({ operations, baseVersion }: Input<'editContent'>, { changes }: EditPlan, content: string): boolean =>
  namesNone(baseVersion) &&
  changes.some(({ operation, from, to, insert }) => {
    const replaced = content.slice(from, to)
    return operations[operation]?.op === 'replace_section' && replaced !== insert && replaced.trim() !== ''
  })

/**
 * Makes or proposes the changes in a plan in the current text. `newest` is the key of the newest revision. There is no `await` before the changes
 * are made.
 */
const carryOut = async (
  opened: AnnotatedDocument,
  caller: Caller,
  input: Input<'editContent'>,
  plan: EditPlan,
  newest: Key,
  facts: Pick<Edited, 'othersChanged'> = {}
): Promise<Edited> => {
  const { service, doc, openDoc } = opened
  const before = openDoc.snapshot()
  const { content, version } = before
  const { changes, edits, diff } = plan
  checkSize(content, edits)
  const changed = edits.length > 0
  const unchanged = { ok: true, version, revisionId: null, changed, results: resultsOf(changes), diff, ...facts } as const
  const proposes = input.mode === 'suggest' && changed
  const hunks = edits.map(({ from, to, insert }) => ({ from, to, text: insert }))
  const answer = { ...unchanged, changed: false, results: [] }
  if (input.dryRun === true || !changed) {
    const tried = proposes ? { ...answer, suggestions: hunksShown(opened, caller, before, hunks, noteOf(input)) } : unchanged
    await openDoc.durable()
    return tried
  }
  if (proposes) {
    return proposeHunks(opened, caller, hunks, noteOf(input), (setId, shown) => ({ ...answer, setId, suggestions: [...shown] }))
  }
  const isUnguarded = replacesUnread(input, plan, content)
  const isCompared = input.operations.some(comparesTexts)
  const partial = isUnguarded && { facts: { partial: true as const } }
  return changeText(
    opened,
    caller,
    { edits, isCompared, cause: 'edit', event: 'content.replaced', label: input.label, isUnguarded, ...partial },
    {
      ...(isUnguarded && { reads: [newest] }),
      also: (tx, made) => {
        const unseen = isUnguarded && unseenOf(doc, version, made, made.typed ?? tx.read<Revision>(newest))
        const answer = { ...unchanged, version: made.after.version, revisionId: made.revisionId, ...unseen }
        return { written: [], answer: remember(service, tx, caller, doc, answer) }
      }
    }
  )
}

/** Throws `version_required` if a caller replaces the entire text, or addresses lines or cells by number, without naming the version that it read. */
const requireRead = ({ operations, baseVersion, mode, dryRun }: Input<'editContent'>): void => {
  if (mode === 'suggest' || dryRun === true || !namesNone(baseVersion)) return
  const blind = operations.find((operation) => operation.op === 'set_document' || isByNumber(operation))
  if (blind === undefined) return
  throw new ServiceError(
    'version_required',
    blind.op === 'set_cell'
      ? {
          message: 'set_cell takes a row or column by number only if you name the version that you read.',
          hint: 'Identify the row by the text of its first cell and the column by its header, or send baseVersion.'
        }
      : { message: `${blind.op} replaces text only if you name the version that you read.` }
  )
}

export const editContent = async (service: Service, caller: Caller, doc: string, input: Input<'editContent'>): Promise<Edited> => {
  if (input.mode !== 'suggest') requireRole(caller, 'edit')
  requireProposing(input)
  requireRead(input)
  return withAnnotations(service, doc, async (opened) => {
    const { openDoc } = opened
    const { operations } = input
    if (service.turns !== null) await requireRightNow(service, doc, caller)
    const newest = keys.revision(doc, (await service.ledger.head(doc)).revision)
    const ground = await baseTextOf(service, openDoc, input.baseVersion)
    if (ground.past === null) return withPlan(opened, input, (plan) => carryOut(opened, caller, input, plan, newest))
    const read = { version: versionsNamed(input.baseVersion ?? '')[0] ?? '', content: ground.content() }
    const othersChanged = await othersChanges(service, doc, read, openDoc.snapshot())
    const plan = planOf(
      openDoc.snapshot().content,
      land(opened, ground, operations),
      input.mode === 'suggest' ? input.granularity : undefined
    )
    return carryOut(opened, caller, input, plan, newest, othersChanged && { othersChanged })
  })
}
