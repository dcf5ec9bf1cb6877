/** An event of a document in the form in which the service sends it, and whether people need to see it. */
import type { EventFields } from '../../shared/events.ts'
import type { Output } from '../../shared/operations/index.ts'

export type FeedEvent = Output<'listEvents'>['events'][number]

/** Whether the server has only tidied text. Nobody needs to look at such an event. */
export const isTidying = ({ kind, actorKind, payload }: Pick<FeedEvent, 'kind' | 'actorKind' | 'payload'>): boolean => {
  const { actors }: EventFields = payload
  return kind === 'content.changed' && actorKind === 'system' && actors?.length === 0
}
