/** An event of a document in the form in which the service sends it. */
import type { Output } from '../../shared/operations/index.ts'

export type FeedEvent = Output<'listEvents'>['events'][number]
