/** Decides which process a new connection prefers: connections to one document prefer the same process. Any process can serve any request. */
import { createHash } from 'node:crypto'

/** The part of a request target that names a document: `/d/{id}`, `/pub/{id}`, `/api/docs/{id}`, or the parameter `doc` of a socket or of MCP. */
const documentInTarget = /^(?:\/(?:d|pub|api\/docs)\/([\w-]{1,64})|\/(?:collab|mcp)\?(?:[^ ]*&)?doc=([\w-]{1,64}))/

/** Matches the start of a request as a client sends it: method, target and version (RFC 9112 §3). */
const requestLine = /^[A-Z]{1,20} (\/[^ \r\n]{0,2000})/

/** Returns the document that the first bytes of a connection name; undefined if they name none. */
export const documentOf = (first: Buffer): string | undefined => {
  const target = requestLine.exec(first.toString('latin1', 0, 2048))?.[1] ?? ''
  const [, inPath, inQuery] = documentInTarget.exec(target) ?? []
  return inPath ?? inQuery
}

const weightOf = (document: string, process: number): bigint =>
  createHash('sha256').update(`${process} ${document}`).digest().readBigUInt64BE()

/**
 * Returns the process that a document prefers, one of `processes`. If a process ends, only its own documents prefer another one (rendezvous hashing;
 * Thaler and Ravishankar, 1998). Undefined if there are no processes.
 */
export const preferredOf = (document: string, processes: readonly number[]): number | undefined => {
  let best: { readonly process: number; readonly weight: bigint } | undefined
  for (const process of processes) {
    const weight = weightOf(document, process)
    if (best === undefined || weight > best.weight) best = { process, weight }
  }
  return best?.process
}
