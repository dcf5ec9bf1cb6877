/** An event of a document, as the service sends it. */
import type { Output } from '../../shared/operations/index.ts'

export type FeedEvent = Output<'listEvents'>['events'][number]
