/**
 * Creates ids of suggestions that are being typed. An id consists of a name that the service shows to everyone, and a secret that it shows to nobody.
 */
import { newId } from '../../base/new-id.ts'

export const newDraftId = (): string => `${newId()}.${newId()}`

/** Returns the public part of a draft's id, under which the service records the draft. */
export const shownName = (draftId: string): string => draftId.split('.')[0] ?? ''
