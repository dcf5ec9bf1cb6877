/** Ids of suggestions that are typed: a name that the service shows to all, and a secret that it shows to nobody. */
import { newId } from '../../base/new-id.ts'

export const newDraftId = (): string => `${newId()}.${newId()}`

/** The service's record of it. */
export const shownName = (draftId: string): string => draftId.split('.')[0] ?? ''
