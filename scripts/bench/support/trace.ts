/**
 * The editing trace B4: 259,778 recorded keystrokes of a LaTeX paper, `sequential_traces/automerge-paper.json.gz` of
 * https://github.com/josephg/editing-traces (CC BY 4.0). The file is expected in ../shared/data next to this repository, or at AGMD_BENCH_TRACE. If
 * it is missing, a generated trace of the same shape is used.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** An edit: its position in code points, the number of deleted code points, and the inserted text. */
type Patch = readonly [number, number, string]

export interface Trace {
  readonly name: string
  readonly patches: readonly Patch[]
  readonly end: string | undefined
}

const tracePath = process.env['AGMD_BENCH_TRACE'] ?? join(import.meta.dirname, '../../../../shared/data/automerge-paper.json.gz')

/** Generates 259,778 single keystrokes. One in eleven is a deletion. Most keystrokes are next to the previous one. */
const generated = (): Trace => {
  const patches: Patch[] = []
  let length = 0
  let at = 0
  for (let n = 0; n < 259_778; n++) {
    if (n % 100 === 0) at = Math.floor((((n * 7919) % 10_007) / 10_007) * length)
    if (n % 3.4 < 1 && at > 0) {
      patches.push([--at, 1, ''])
      length--
    } else {
      patches.push([at++, 0, n % 60 === 0 ? '\n' : String.fromCharCode(97 + (n % 26))])
      length++
    }
  }
  return { name: 'generated trace (B4 is not here)', patches, end: undefined }
}

const recorded = (): Trace => {
  const { txns, endContent } = JSON.parse(gunzipSync(readFileSync(tracePath)).toString()) as {
    txns: { patches: Patch[] }[]
    endContent: string
  }
  return { name: 'B4 automerge-paper', patches: txns.flatMap(({ patches }) => patches), end: endContent }
}

export const readTrace = (): Trace => (existsSync(tracePath) ? recorded() : generated())
