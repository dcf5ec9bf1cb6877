/** Finds a link's assignment. Responses with a document's text or metadata contain the assignment, so that the link's holder knows what to do. */
import type { z } from 'zod'
import type { Assignment } from '../../../shared/operations/schemas.ts'
import type { TaskState } from '../../../shared/task-states.ts'
import { type Caller, taskOf } from '../rights/caller.ts'
import { decodeRecord, keys, type Task } from '../records/keys.ts'
import type { Service } from '../service.ts'

const reportFields = '{"reviewedVersion", "summary", "commentIds", "suggestionIds"}'

const nextSteps: Readonly<Record<TaskState, (address: string) => string>> = {
  open: (address) => `POST ${address}/start`,
  started: (address) => `Comment and suggest, then POST ${address}/report ${reportFields}`,
  reported: () => 'Nothing is left to do: the review was reported.',
  closed: () => 'Nothing is left to do: the assignment was closed.'
}

/** Returns the next call for the holder of an assignment's link. */
export const nextStepOf = ({ baseUrl }: Service, { docId, id, status }: Pick<Task, 'docId' | 'id' | 'status'>): string =>
  nextSteps[status](`${baseUrl}/api/docs/${docId}/tasks/${id}`)

/** Returns the assignment that the caller's link belongs to; undefined for any other link. */
export const ownAssignment = async (
  service: Service,
  caller: Caller,
  doc: string
): Promise<{ assignment?: z.infer<typeof Assignment> }> => {
  const id = taskOf(caller)
  const entry = id === null ? undefined : await service.storage.get(keys.task(doc, id))
  if (entry === undefined) return {}
  const task = decodeRecord<Task>(entry.value)
  const { title, instructions, status } = task
  return { assignment: { taskId: task.id, title, instructions, status, next: nextStepOf(service, task) } }
}
