/**
 * Converts a regular expression to its position automaton (Glushkov), which has a state for each place in the pattern that reads a character. Loops
 * of the pattern become loops of the automaton. A repeated part outside loops is copied at most a few times.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp'

/** The automaton of one top-level alternative of a pattern. */
export interface Automaton {
  /** The probe characters that each state reads, as bits. */
  readonly reads: readonly bigint[]
  /** The states that can follow each state. */
  readonly next: readonly ReadonlySet<number>[]
  /** States after which the expression has matched, regardless of the text that follows. */
  readonly accepting: ReadonlySet<number>
  /** Edges that two nested loops share, in the form `from,to`. */
  readonly doubled: ReadonlySet<string>
}

/** A part of a pattern: its first and last states, and whether it can match the empty text. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly empty: boolean
}

/** Maximum number of repetitions that are not treated as a loop. */
const repetitionsMax = 32
/** Maximum number of copies of a repeated part. More copies would not reveal anything new. */
const copiesMax = 2

/** Returns representative characters. If two sets contain the same probe, they overlap. */
const probesOf = (source: string): string[] => [
  ...new Set([
    ...Array.from({ length: 128 }, (_code, code) => String.fromCharCode(code)),
    ...Array.from('\u0080\u0085\u00a0\u00b2éßſK\u0300\u0663ж\u200b\u2028\u2029\ufeff中あ\ud800😀𝒜‘“–'),
    ...Array.from(source)
  ])
]

type Leaf = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass

const emptyPart: Part = { first: [], last: [], empty: true }

/** Thrown for an expression that cannot be judged. The message is the reason. */
export class Unjudged extends Error {}

const createBuilder = (source: string, flags: string) => {
  const probes = probesOf(source)
  const setFlags = flags.replace(/[^iusv]/g, '')
  const reads: bigint[] = []
  const next: Set<number>[] = []
  const doubled = new Set<string>()

  const bitsOf = (raw: string): bigint => {
    const one = new RegExp(`^(?:${raw})$`, setFlags)
    return probes.reduce((bits, probe, index) => (one.test(probe) ? bits | (1n << BigInt(index)) : bits), 0n)
  }

  const state = (bits: bigint): Part => {
    reads.push(bits)
    next.push(new Set())
    const own = [reads.length - 1]
    return { first: own, last: own, empty: false }
  }

  const join = (from: readonly number[], to: readonly number[], isLoop = false): void => {
    for (const one of from)
      for (const other of to) {
        if (isLoop && next[one]?.has(other) === true) doubled.add(`${one},${other}`)
        next[one]?.add(other)
      }
  }

  const sequence = (parts: readonly Part[]): Part =>
    parts.reduce((before, after) => {
      join(before.last, after.first)
      return {
        first: before.empty ? [...before.first, ...after.first] : before.first,
        last: after.empty ? [...before.last, ...after.last] : after.last,
        empty: before.empty && after.empty
      }
    }, emptyPart)

  const either = (parts: readonly Part[]): Part => ({
    first: parts.flatMap(({ first }) => first),
    last: parts.flatMap(({ last }) => last),
    empty: parts.some(({ empty }) => empty)
  })

  const loop = (make: () => Part): Part => {
    const body = make()
    join(body.last, body.first, true)
    return { ...body, empty: true }
  }

  /** Joins optional copies of a part. Each copy follows the previous one, so that `x{0,2}` reads one `x` in only one way. */
  const optional = (parts: readonly Part[]): Part =>
    parts.toReversed().reduce((after, before) => ({ ...sequence([before, after]), empty: true }), emptyPart)

  const repeated = ({ min, max, element }: AST.Quantifier): Part => {
    const make = (): Part => partOf(element)
    const isLoop = max > repetitionsMax
    // `x+` has one state for `x`. If it were converted like `xx*`, every loop would be ambiguous with its own beginning.
    if (isLoop && min > 0) return { ...loop(make), empty: make().empty }
    const wanted = Array.from({ length: Math.min(min, copiesMax) }, make)
    const others = isLoop ? loop(make) : optional(Array.from({ length: Math.min(max - min, copiesMax) }, make))
    return sequence([...wanted, others])
  }

  const partOf = (node: AST.Element): Part => {
    switch (node.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return state(bitsOf((node as Leaf).raw))
      case 'Group':
      case 'CapturingGroup':
        return alternativesOf(node.alternatives)
      case 'Quantifier':
        return repeated(node)
      case 'Assertion':
        if (node.kind === 'lookahead' || node.kind === 'lookbehind') refuseLoops(node)
        return emptyPart
      case 'Backreference':
        throw new Unjudged('it refers back to a group')
    }
  }

  const alternativesOf = (alternatives: readonly AST.Alternative[]): Part =>
    either(alternatives.map(({ elements }) => sequence(elements.map(partOf))))

  return { reads, next, doubled, state, join, sequence, partOf, anything: (1n << BigInt(probes.length)) - 1n, bitsOf }
}

const isLook = (node: AST.Node): boolean => node.type === 'Assertion' && (node.kind === 'lookahead' || node.kind === 'lookbehind')

/** A lookaround reads its text again at each position. Throws `Unjudged` if that text has no bound. */
const refuseLoops = (assertion: AST.LookaroundAssertion): void => {
  if (/[*+]|\{\d+,\}/.test(assertion.raw.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, ''))) throw new Unjudged('it looks around without a bound')
}

/** Whether an alternative can still fail after its last state. */
const mayFailAtEnd = ({ elements }: AST.Alternative): boolean => elements.at(-1)?.type === 'Assertion'

/** Returns the automata of the top-level alternatives. Throws `Unjudged`. */
export const automataOf = (source: string, flags: string): Automaton[] => {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v')
  })
  return pattern.alternatives.map((alternative): Automaton => {
    const builder = createBuilder(source, flags)
    const [head] = alternative.elements
    const isStart = head?.type === 'Assertion' && head.kind === 'start'
    const whole = builder.sequence(alternative.elements.map(builder.partOf))
    // Without an anchor, the expression is tried at every position, as if any text preceded it.
    if (!flags.includes('y') && !(isStart && !flags.includes('m'))) {
      const before = builder.state(builder.anything)
      builder.join(before.last, before.last)
      const entry = isStart ? builder.state(builder.bitsOf('\n')) : before
      if (isStart) builder.join(before.last, entry.first)
      builder.join(entry.last, whole.first)
    }
    const accepting = new Set(mayFailAtEnd(alternative) || alternative.elements.some(isLook) ? [] : whole.last)
    return { reads: builder.reads, next: builder.next, accepting, doubled: builder.doubled }
  })
}
