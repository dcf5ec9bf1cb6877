/** Requests to the service about comments, suggestions and assignments. */
import { limits } from '../../../shared/limits.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { call } from '../../client/api.ts'
import type { Comment, Suggestion, Task } from './records.ts'

interface Access {
  readonly id: string
  readonly key: string
}

const all = async <Record, Answer extends { readonly nextBefore: number | null }>(
  { id, key }: Access,
  path: string,
  recordsOf: (answer: Answer) => readonly Record[]
): Promise<Record[]> => {
  const found: Record[] = []
  let before = ''
  for (;;) {
    const answer = await call<Answer>(`/api/docs/${id}/${path}${before}`, { key })
    found.push(...recordsOf(answer))
    if (answer.nextBefore === null) return found
    before = `${path.includes('?') ? '&' : '?'}before=${answer.nextBefore}`
  }
}

const page = `limit=${limits.remarkPageMax}`

export const listComments = (access: Access): Promise<Comment[]> =>
  all<Comment, Output<'listComments'>>(access, `comments?${page}`, ({ comments }) => comments)

/** The suggestions that nobody has decided: pending, and orphaned. */
export async function listSuggestions(access: Access): Promise<Suggestion[]> {
  const of = (status: string): Promise<Suggestion[]> =>
    all<Suggestion, Output<'listSuggestions'>>(access, `suggestions?status=${status}&${page}`, ({ suggestions }) => suggestions)
  return [...(await of('pending')), ...(await of('orphaned'))]
}

export const listTasks = (access: Access): Promise<Task[]> => all<Task, Output<'listTasks'>>(access, 'tasks', ({ tasks }) => tasks)
