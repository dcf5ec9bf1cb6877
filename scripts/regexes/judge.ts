/**
 * Judges whether a regular expression takes more than linear time on some text. It does if its automaton can read the same text in many ways (Weber
 * and Seidl, On the degree of ambiguity of finite automata, 1991). Either a loop leads to another loop that reads the same text (polynomial time), or
 * one loop can read text in two ways (exponential time). A backtracking engine tries all these ways if the text does not match in the end.
 */
import { type Automaton, automataOf, Unjudged } from './automaton.ts'

/** Returns the states that can be reached from each state in one or more steps. */
const reachOf = ({ next }: Automaton): ReadonlySet<number>[] =>
  next.map((first) => {
    const found = new Set<number>(first)
    for (const state of found) for (const each of next[state] ?? []) found.add(each)
    return found
  })

/**
 * Whether several states can read the same text together until `isGoal` accepts them. Each state can only pass through the states that are allowed
 * for it.
 */
const leads = (
  { next, reads }: Automaton,
  from: readonly number[],
  isGoal: (states: readonly number[]) => boolean,
  allowed: readonly ((state: number) => boolean)[]
): boolean => {
  const seen = new Set<string>()
  const open = [from]
  for (const states of open) {
    const steps = states.reduce<readonly (readonly [readonly number[], bigint])[]>(
      (found, state, index) =>
        found.flatMap(([before, bits]) =>
          [...(next[state] ?? [])].flatMap((each): (readonly [readonly number[], bigint])[] => {
            const common = bits & (reads[each] ?? 0n)
            return common !== 0n && allowed[index]?.(each) === true ? [[[...before, each], common]] : []
          })
        ),
      [[[], -1n]]
    )
    for (const [tuple] of steps) {
      if (isGoal(tuple)) return true
      const key = tuple.join()
      if (seen.has(key)) continue
      seen.add(key)
      open.push(tuple)
    }
  }
  return false
}

const isAmbiguous = (automaton: Automaton): boolean => {
  const reach = reachOf(automaton)
  const inLoop = [...automaton.next.keys()].filter((state) => reach[state]?.has(state) === true)
  const together = (one: number) => (other: number) => reach[one]?.has(other) === true && reach[other]?.has(one) === true
  const between = (one: number, other: number) => (state: number) =>
    (state === one || reach[one]?.has(state) === true) && (state === other || reach[state]?.has(other) === true)
  // If a loop accepts after each round, nothing after the loop can fail.
  const isOpen = (one: number) => (other: number) => together(one)(other) && !automaton.accepting.has(other)
  const isDoubled = [...automaton.doubled].some((edge) => {
    const [from = 0, to = 0] = edge.split(',').map(Number)
    return together(from)(to)
  })
  return (
    isDoubled ||
    inLoop.some(
      (one) =>
        // Looks for two ways around the loop that separate and meet again.
        leads(
          automaton,
          [one, one],
          ([a, b]) =>
            a !== b &&
            a !== undefined &&
            b !== undefined &&
            leads(automaton, [a, b], ([x, y]) => x === one && y === one, [together(one), together(one)]),
          [together(one), together(one)]
        ) ||
        inLoop.some(
          (other) =>
            one !== other &&
            reach[one]?.has(other) === true &&
            leads(automaton, [one, one, other], ([a, b, c]) => a === one && b === other && c === other, [
              together(one),
              between(one, other),
              isOpen(other)
            ])
        )
    )
  )
}

/** Returns the reason why a regular expression can take more than linear time; undefined if it does not. */
export const judge = (source: string, flags: string): string | undefined => {
  try {
    return automataOf(source, flags).some(isAmbiguous) ? 'it can read some text in a growing number of ways' : undefined
  } catch (error) {
    if (error instanceof Unjudged) return error.message
    throw error
  }
}
