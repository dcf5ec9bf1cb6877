/**
 * Counts the parts of a JSON body in its bytes, before the body is parsed. A body with a million keys, or with deeply nested arrays, costs far more
 * to parse and check than text of the same size. No operation needs such a body.
 */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

/** The number of bytes to count before other work gets its turn. */
const stepBytes = 1024 * 1024

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const refused = (message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path: 'body', message }] })

/** The counts so far, and the offset of the next byte. */
interface Shape {
  readonly at: number
  readonly inString: boolean
  readonly values: number
  readonly depth: number
  /** The offset where the last string starts, and the offset after its closing quote. */
  readonly opened: number
  readonly closed: number
  /** The length of the longest field name, in bytes. */
  readonly name: number
}

/** Searches for the closing quote of a string from `at`, and returns its offset. Returns `end` or more if there is no closing quote before `end`. */
const closingQuote = (bytes: Buffer, at: number, end: number): number => {
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === backslash) at++
    else if (byte === quote) break
  }
  return at
}

/** Counts the bytes of one step. The loop uses only plain numbers, because it reads every byte of the largest bodies. */
const counted = (bytes: Buffer, shape: Shape): Shape => {
  const end = Math.min(bytes.length, shape.at + stepBytes)
  let { at, inString, values, depth, opened, closed, name } = shape
  while (at < end && values <= limits.jsonValuesMax && depth <= limits.jsonDepthMax && name <= limits.jsonNameBytesMax) {
    if (inString) {
      at = closingQuote(bytes, at, end)
      inString = at >= end
      // Continues after the closing quote.
      if (!inString) closed = ++at
      continue
    }
    const byte = bytes[at++] ?? 0
    // `[` differs from `{` in only one bit, and so does `]` from `}`.
    const bracket = byte | 0x20
    if (byte === quote) [inString, opened] = [true, at]
    else if (byte === colon) name = Math.max(name, closed - opened - 1)
    else if (byte === comma) values++
    else if (bracket === 0x7b) [values, depth] = [values + 1, depth + 1]
    else if (bracket === 0x7d) depth--
  }
  return { at, inString, values, depth, opened, closed, name }
}

/** Refuses a JSON body that no operation accepts. Lets other work run between its steps. Throws `invalid_request`. */
export const checkJsonShape = async (bytes: Buffer): Promise<void> => {
  // Nearly every body is too small to do harm.
  if (bytes.length < limits.jsonCheckedBytesMin) return
  let shape: Shape = { at: 0, inString: false, values: 0, depth: 0, opened: 0, closed: 0, name: 0 }
  while (shape.at < bytes.length) {
    // A large body takes long to join and parse, so these steps run in other turns of the event loop than the counting.
    if (bytes.length > stepBytes) await nextTurn()
    shape = counted(bytes, shape)
    if (shape.values > limits.jsonValuesMax) throw refused(`has more than ${limits.jsonValuesMax} values`)
    if (shape.depth > limits.jsonDepthMax) throw refused(`is nested more than ${limits.jsonDepthMax} deep`)
    if (shape.name > limits.jsonNameBytesMax) throw refused(`has a name of more than ${limits.jsonNameBytesMax} bytes`)
  }
  if (bytes.length > stepBytes) await nextTurn()
}
