/**
 * Runs the fuzz of boards, chats and sheets for any number of seeds: `npm run fuzz fences [seeds] [first]`. It exits with 1 at the first failing
 * seed. Add that seed to test/fences-together.test.ts. Then it checks undo and redo, moves of the same lines, and one person alone, with all seeds. It
 * lists the seeds that fail.
 */
import { fencesHold, stepsReturn } from '../../test/fuzz/fences.ts'
import { aloneHolds, movesHold } from '../../test/fuzz/moved-lines.ts'

const words = process.argv.slice(2).map(Number)
const seeds = words[0] ?? 5_000
const first = words[1] ?? Date.now() % 1_000_000_000

console.log(`fences: ${seeds} seeds from ${first}, each as board, chat and sheet`)
try {
  for (let seed = first; seed < first + seeds; seed++) for (const kind of ['board', 'chat', 'sheet'] as const) fencesHold(kind, seed)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
const failed: string[] = []
for (let seed = first; seed < first + seeds; seed++)
  for (const kind of ['board', 'chat', 'sheet'] as const)
    for (const typesEmptyLines of [false, true])
      try {
        stepsReturn(kind, seed, typesEmptyLines)
      } catch {
        failed.push(`${kind} ${seed}${typesEmptyLines ? ' with empty lines' : ''}`)
      }
console.log(`undo and redo: ${failed.length} of ${seeds * 6} runs returned different text. ${failed.join(', ')}`)
const moves: string[] = []
for (const undoes of [false, true])
  for (let seed = first; seed < first + seeds; seed++)
    for (const kind of ['board', 'sheet'] as const)
      try {
        movesHold(kind, seed, undoes)
      } catch {
        moves.push(`${kind} ${seed}${undoes ? ' with undo' : ''}`)
      }
console.log(`moves: ${moves.length} of ${seeds * 4} runs lost, doubled or joined a line. ${moves.join(', ')}`)
const alone: number[] = []
for (let seed = first; seed < first + seeds; seed++)
  try {
    aloneHolds(seed)
  } catch {
    alone.push(seed)
  }
console.log(`one person alone: the server changed the text in ${alone.length} of ${seeds} runs. ${alone.join(', ')}`)
// Rare mixtures of moves and undo, while some people are offline, still join or double lines.
if (failed.length > 0 || alone.length > 0 || moves.some((run) => !run.endsWith('undo'))) process.exitCode = 1
console.log(`fences: ${seeds} seeds, nothing lost and nothing there twice but as the rules say`)
