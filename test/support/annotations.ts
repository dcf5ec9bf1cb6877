/** Helpers for comments and suggestions: people with a link who comment, suggest and decide. */
import type { Answer, Ask, Json, Person } from './world.ts'

type Fields = Record<string, unknown>

/** The answer of a request, which must succeed. */
const must = async (answer: Promise<Answer>): Promise<Json> => {
  const { status, json, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return json
}

export const asAuthor = (name: string): Ask => ({ headers: { 'X-Agent-Author': name } })

export const postComment = (person: Person, json: Fields, what: Ask = {}): Promise<Answer> =>
  person.ask('POST', '/comments', { json, ...what })

/** The record of a new comment, wherever its words are. */
export const comment = async (person: Person, json: Fields, what?: Ask): Promise<Json> =>
  (await must(postComment(person, { unanchored: true, ...json }, what))).comment

export const comments = async (person: Person, query: Ask['query'] = {}): Promise<Json[]> =>
  (await must(person.ask('GET', '/comments', { query }))).comments

/** One comment as currently listed. */
export const readComment = async (person: Person, id: string): Promise<Json> => (await comments(person)).find((each) => each.id === id)

/** The current text of a comment; undefined: none. */
export const commented = async (person: Person, id: string): Promise<string | undefined> => {
  const { anchor } = await readComment(person, id)
  return anchor === null ? undefined : (await person.read()).content.slice(anchor.from, anchor.to)
}

export const postSuggestion = (person: Person, json: Fields, what: Ask = {}): Promise<Answer> =>
  person.ask('POST', '/suggestions', { json, ...what })

/** The record of a new suggestion. */
export const suggest = async (person: Person, json: Fields, what?: Ask): Promise<Json> =>
  (await must(postSuggestion(person, json, what))).suggestion

export const suggestions = async (person: Person, query: Ask['query'] = {}): Promise<Json[]> =>
  (await must(person.ask('GET', '/suggestions', { query }))).suggestions

/** One suggestion as currently listed. */
export const readSuggestion = async (person: Person, id: string): Promise<Json> =>
  (await suggestions(person)).find((each) => each.id === id)

export const decide = (person: Person, id: string, action: 'accept' | 'reject' | 'reopen', what: Ask = {}): Promise<Answer> =>
  person.ask('POST', `/suggestions/${id}`, { json: { action }, ...what })
