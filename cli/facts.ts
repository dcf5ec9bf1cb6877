/** Formats an error's details as lines, for example the invalid fields or the required role. */
import { oneLine } from './terminal.ts'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const records = (value: unknown): Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** Maximum number of possible places that are shown for an ambiguous target. */
const placesMax = 10

const place = ({ line, before, after }: Readonly<Record<string, unknown>>): string =>
  `line ${String(line)}: …${oneLine(String(before), 40)} [here] ${oneLine(String(after), 40)}…`

const failure = ({ operation, message }: Readonly<Record<string, unknown>>): string =>
  `operation ${String(operation)}: ${oneLine(String(message))}`

/** Describes a line that the caller may have meant. */
const similar = ({ line, text }: Readonly<Record<string, unknown>>): string =>
  `similar text on line ${String(line)}: ${oneLine(String(text), 100)}`

const ids = (named: string, value: unknown): string[] =>
  Array.isArray(value) && value.length > 0 ? [`unknown ${named}: ${value.map((id) => oneLine(String(id), 40)).join(', ')}`] : []

/** Returns an error's details as lines. `shown` returns the command-line name of a request field. */
export const factsOf = (details: Readonly<Record<string, unknown>>, shown: (field: string) => string): string[] => {
  const { requiredRole, role, retryAfterSeconds, failures, candidates } = details
  const limits = Object.entries(details).filter(([name, value]) => name.endsWith('Max') && typeof value === 'number')
  return [
    ...records(details['details']).map(({ path, message }) => `${shown(String(path))}: ${oneLine(String(message))}`),
    ...(typeof requiredRole === 'string' ? [`this needs the role ${oneLine(requiredRole)}; yours is ${oneLine(String(role))}`] : []),
    ...(records(failures).length > 1 ? records(failures).map(failure) : []),
    ...records(candidates).slice(0, placesMax).map(place),
    ...records(details['nearest']).map(similar),
    ...ids('comments', details['commentIds']),
    ...ids('suggestions', details['suggestionIds']),
    ...limits.map(([name, value]) => `${name}: ${String(value)}`),
    ...(typeof retryAfterSeconds === 'number' ? [`wait ${retryAfterSeconds} s`] : [])
  ]
}
