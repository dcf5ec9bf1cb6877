/** Helpers for comments and suggestions by people with a link. */
import type { Answer, Ask, Json, Person } from './world.ts'

type Fields = Record<string, unknown>

/** The text of the documents that are commented and changed. */
export const foxText = '# Title\n\nThe quick brown fox jumps over the lazy dog.\n\n- one fish\n- two fish\n'

/** Returns the answer of a request, which must succeed. */
const must = async (answer: Promise<Answer>): Promise<Json> => {
  const { status, json, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return json
}

export const asAuthor = (name: string): Ask => ({ headers: { 'X-Agent-Author': name } })

export const postComment = (person: Person, json: Fields, what: Ask = {}): Promise<Answer> =>
  person.ask('POST', '/comments', { json, ...what })

/** Makes a comment and returns its record, whether or not its words were found. */
export const comment = async (person: Person, json: Fields, what?: Ask): Promise<Json> =>
  (await must(postComment(person, { unanchored: true, ...json }, what))).comment

export const comments = async (person: Person, query: Ask['query'] = {}): Promise<Json[]> =>
  (await must(person.ask('GET', '/comments', { query }))).comments

/** Returns a comment as it is listed now. */
export const readComment = async (person: Person, id: string): Promise<Json> => (await comments(person)).find((each) => each.id === id)

/** Returns the text that a comment is on. Undefined if there is none. */
export const commented = async (person: Person, id: string): Promise<string | undefined> => {
  const { anchor } = await readComment(person, id)
  return anchor === null ? undefined : (await person.read()).content.slice(anchor.from, anchor.to)
}

export const postSuggestion = (person: Person, json: Fields, what: Ask = {}): Promise<Answer> =>
  person.ask('POST', '/suggestions', { json, ...what })

/** Makes a suggestion and returns its record. */
export const suggest = async (person: Person, json: Fields, what?: Ask): Promise<Json> =>
  (await must(postSuggestion(person, json, what))).suggestion

export const suggestions = async (person: Person, query: Ask['query'] = {}): Promise<Json[]> =>
  (await must(person.ask('GET', '/suggestions', { query }))).suggestions

/** Returns a suggestion as it is listed now. */
export const readSuggestion = async (person: Person, id: string): Promise<Json> =>
  (await suggestions(person)).find((each) => each.id === id)

export const decide = (person: Person, id: string, action: 'accept' | 'reject' | 'reopen', what: Ask = {}): Promise<Answer> =>
  person.ask('POST', `/suggestions/${id}`, { json: { action }, ...what })
