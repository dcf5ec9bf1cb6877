/**
 * What a JSON body is made of, counted in its bytes before anything is made of them: a million keys, or arrays in arrays, cost far more to
 * parse and to check than a text of the same size, and no operation can mean them.
 */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

/** Bytes that are counted before others get their turn. */
const stepBytes = 1024 * 1024

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const refused = (message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path: 'body', message }] })

/** What was counted so far, and where the bytes go on. */
interface Shape {
  readonly at: number
  readonly values: number
  readonly depth: number
}

/** Where a string ends whose first byte stands at `at`: after its closing quote, or after the bytes. */
const endOfString = (bytes: Buffer, at: number): number => {
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === backslash) at++
    else if (byte === quote) return at + 1
  }
  return bytes.length
}

/** Counts on for a step; a string is passed over whole. One loop over plain numbers: it sees every byte of the largest bodies. */
const counted = (bytes: Buffer, { at: from, values: before, depth: above }: Shape): Shape => {
  const end = Math.min(bytes.length, from + stepBytes)
  let [at, values, depth] = [from, before, above]
  while (at < end && values <= limits.jsonValuesMax && depth <= limits.jsonDepthMax) {
    const byte = bytes[at++] ?? 0
    // `[` and `{`, `]` and `}` differ in one bit.
    const bracket = byte | 0x20
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values++
    else if (bracket === 0x7b) [values, depth] = [values + 1, depth + 1]
    else if (bracket === 0x7d) depth--
  }
  return { at, values, depth }
}

/** Refuses a JSON body that no operation can mean; others get their turn meanwhile. Errors: `invalid_request`. */
export const checkJsonShape = async (bytes: Buffer): Promise<void> => {
  // Too small for harm: nearly every body.
  if (bytes.length < limits.jsonCheckedBytesMin) return
  let shape: Shape = { at: 0, values: 0, depth: 0 }
  while (shape.at < bytes.length) {
    if (shape.at > 0) await nextTurn()
    shape = counted(bytes, shape)
    if (shape.values > limits.jsonValuesMax) throw refused(`has more than ${limits.jsonValuesMax} values`)
    if (shape.depth > limits.jsonDepthMax) throw refused(`is nested more than ${limits.jsonDepthMax} deep`)
  }
  // To parse a large body is a turn's work by itself.
  if (bytes.length > stepBytes) await nextTurn()
}
