/**
 * Short responses for `brief`, with only the data that an agent needs to continue. Writes return ids, versions and states. Lists have a row for each
 * record, with the beginning of its text. Errors and dry runs are not shortened.
 */
import { limits } from '../../shared/limits.ts'
import { beginning } from '../domain/events/event-words.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the named fields of a record, except absent fields and fields that are null. */
const only = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined && record[name] !== null).map((name) => [name, record[name]]))

/** Returns the named text fields of a record. A long field is truncated, and another field says so. */
const cut = (record: Fields, names: readonly string[]): Fields => {
  const given = names.flatMap((name) => {
    const text = record[name]
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  const long = given.filter(([, text]) => text.length > limits.briefUnitsMax).map(([name]) => name)
  return {
    ...Object.fromEntries(given.map(([name, text]) => [name, beginning(text, limits.briefUnitsMax)])),
    ...(long.length > 0 && { cut: long })
  }
}

const repliesIn = ({ replies }: Fields): Fields => (Array.isArray(replies) && replies.length > 0 ? { replies: replies.length } : {})

const commentRow = (comment: Fields): Fields => ({
  ...only(comment, ['id', 'status', 'author', 'line']),
  ...(comment['orphaned'] === true && { orphaned: true }),
  ...cut({ body: comment['body'], quote: (comment['target'] as Fields)['quote'] }, ['body', 'quote']),
  ...repliesIn(comment)
})

const suggestionRow = (suggestion: Fields): Fields => ({
  ...only(suggestion, ['id', 'operation', 'status', 'author', 'line', 'step', 'setId']),
  ...cut(suggestion, ['original', 'text', 'note']),
  ...repliesIn(suggestion)
})

export const eventRow = (event: Fields): Fields => only(event, ['seq', 'kind', 'at', 'actor', 'version', 'payload'])

const linkRow = (link: Fields): Fields => ({
  ...only(link, ['id', 'role', 'url', 'expiresAt']),
  ...cut(link, ['label']),
  ...(link['revoked'] === true && { revoked: true })
})

const documentRow = (document: Fields): Fields => ({
  ...only(document, ['id', 'role', 'version', 'updatedAt', 'restorableUntil']),
  ...cut(document, ['title']),
  ...(document['published'] === true && { published: true })
})

const rows: Readonly<Record<string, (record: Fields) => Fields>> = {
  comments: commentRow,
  suggestions: suggestionRow,
  events: eventRow,
  shares: linkRow,
  docs: documentRow
}

const state = (record: Fields): Fields => only(record, ['id', 'status', 'step', 'resultVersion'])

/** Fields whose records are reduced to id and state in the response to a write. */
const states = new Set(['comment', 'suggestion', 'suggestions'])
/** Fields that repeat another field, or that the caller already knows. */
const spare = new Set(['commentId', 'suggestionId', 'reply', 'diff'])

const stateOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.filter(isFields).map(state) : isFields(value) ? state(value) : value

const isSpare = (name: string, answer: Fields): boolean => spare.has(name) && (!name.endsWith('Id') || answer['id'] === answer[name])

const writeAnswer = (answer: Fields): Fields =>
  Object.fromEntries(
    Object.entries(answer)
      .filter(([name]) => !isSpare(name, answer))
      .map(([name, value]) => [name, states.has(name) ? stateOf(value) : name === 'results' ? resultsOf(value) : value])
  )

/** Returns the outcome of each decision in full. The result of an edit is reduced to its count and its matched text. */
const resultsOf = (results: unknown): unknown =>
  Array.isArray(results)
    ? results
        .filter(isFields)
        .map((result) =>
          'suggestionId' in result ? { ...writeAnswer(result), suggestionId: result['suggestionId'] } : only(result, ['count', 'matched'])
        )
    : results

/** Returns the short form of a response. */
export const briefly = (method: string, answer: Record<string, unknown>, { dryRun }: Fields): Record<string, unknown> => {
  if (dryRun === true) return answer
  if (method !== 'GET') return writeAnswer(answer) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => {
      const row = rows[name]
      return [name, row === undefined || !Array.isArray(value) ? value : value.filter(isFields).map(row)]
    })
  )
}
