/** Merges two versions of the text by lines (three-way merge), with Myers' algorithm. A plain LCS merge takes seconds on repetitive text. */
import { type LineChange, lineChanges } from './diff.ts'

export interface Conflict {
  /** First line of the conflict in the base text, counted from 1. */
  readonly line: number
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

export type Merge = { readonly clean: true; readonly content: string } | { readonly clean: false; readonly conflicts: readonly Conflict[] }

/** A part of the merged text: either the text, or a conflict between both sides. */
type Piece = string | Conflict

/** Changes of both sides that touch each other, and the lines of the base that they cover. */
interface Group {
  readonly from: number
  to: number
  readonly mine: LineChange[]
  readonly theirs: LineChange[]
}

const split = (text: string): string[] => text.split(/(?<=\n)/)
const endOf = (change: LineChange): number => change.at + change.removed.length
const sameChange = (one: LineChange | undefined, other: LineChange): boolean =>
  one !== undefined && endOf(one) === endOf(other) && one.added.join('') === other.added.join('')

// Adjacent changes also conflict, because their order would be a guess.
const grouped = (mine: readonly LineChange[], theirs: readonly LineChange[]): Group[] => {
  const groups: Group[] = []
  const all = [
    ...mine.map((change) => ({ change, side: 'mine' as const })),
    ...theirs.map((change) => ({ change, side: 'theirs' as const }))
  ]
  for (const { change, side } of all.toSorted((one, other) => one.change.at - other.change.at)) {
    const last = groups.at(-1)
    const group = last === undefined || change.at > last.to ? { from: change.at, to: change.at, mine: [], theirs: [] } : last
    if (group !== last) groups.push(group)
    group.to = Math.max(group.to, endOf(change))
    group[side].push(change)
  }
  return groups
}

/** Returns a group's lines with the changes from one side. */
const sideOf = (base: readonly string[], { from, to }: Group, changes: readonly LineChange[]): string => {
  const parts: string[] = []
  let at = from
  for (const change of changes) {
    // The lines are joined first, because spreading a long array into a call overflows the stack.
    parts.push(base.slice(at, change.at).join(''), change.added.join(''))
    at = endOf(change)
  }
  return parts.join('') + base.slice(at, to).join('')
}

const pieceOf = (base: readonly string[], group: Group): Piece => {
  const { from, to } = group
  const mine = sideOf(base, group, group.mine)
  const theirs = sideOf(base, group, group.theirs)
  if (group.theirs.length === 0 || mine === theirs) return mine
  if (group.mine.length === 0) return theirs
  return { line: from + 1, base: base.slice(from, to).join(''), mine, theirs }
}

const piecesOf = (base: string, mine: string, theirs: string): Piece[] => {
  const lines = split(base)
  const ours = lineChanges(lines, split(mine))
  const others = lineChanges(lines, split(theirs))
  // No two changes of one side begin at the same line.
  const oursAt = new Map(ours.map((change) => [change.at, change]))
  // A change that both sides made is used once, as a change of `mine`. It does not conflict with the equal change of `theirs`.
  const groups = grouped(
    ours,
    others.filter((change) => !sameChange(oursAt.get(change.at), change))
  )
  const pieces: Piece[] = []
  let at = 0
  for (const group of groups) {
    pieces.push(lines.slice(at, group.from).join(''), pieceOf(lines, group))
    at = group.to
  }
  return [...pieces, lines.slice(at).join('')]
}

const isConflict = (piece: Piece): piece is Conflict => typeof piece !== 'string'

/** Merges two texts that are based on `base`. The merge is clean if no change of one side touches a different change of the other side. */
export const merge = (base: string, mine: string, theirs: string): Merge => {
  const pieces = piecesOf(base, mine, theirs)
  const conflicts = pieces.filter(isConflict)
  return conflicts.length > 0 ? { clean: false, conflicts } : { clean: true, content: pieces.join('') }
}

// ——— conflict markers ———

/** The names of both sides and of the base. */
export interface Labels {
  readonly mine: string
  readonly base: string
  readonly theirs: string
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** Returns the merged text with conflicts between markers, in the `diff3` style of `git merge`. */
export const mergeWithMarks = (base: string, mine: string, theirs: string, labels: Labels): string =>
  piecesOf(base, mine, theirs)
    .map((piece) =>
      isConflict(piece)
        ? `<<<<<<< ${labels.mine}\n${ended(piece.mine)}||||||| ${labels.base}\n${ended(piece.base)}=======\n${ended(piece.theirs)}>>>>>>> ${labels.theirs}\n`
        : piece
    )
    .join('')

/** Returns the lines that are conflict markers, counted from 1. */
export const markedLines = (text: string): number[] =>
  text.split('\n').flatMap((line, index) => (/^(<{7}|\|{7}|>{7})(?: |$)/.test(line) ? [index + 1] : []))
