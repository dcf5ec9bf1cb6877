/** The answer of the service about one document: its title, its owner, the person's rights, or why it is missing. */
import { batch, signal, type Signal } from '@preact/signals'
import type { Role } from '../../shared/roles.ts'
import { RequestError } from '../client/api.ts'
import { readDocument } from '../client/documents.ts'
import type { RecentDocument } from '../device/recent.ts'

export interface Answer {
  /** Its last known title, until its text has loaded. */
  readonly called: Signal<string>
  /** The title given to the document; null if its text determines the title. */
  readonly givenTitle: Signal<string | null>
  /** Whether it already belongs to an account or agent; true until that is known. */
  readonly owned: Signal<boolean>
  readonly published: Signal<boolean>
  /** The last answer: a role or an error, or neither before the first one. */
  readonly answered: Signal<{ readonly role?: Role; readonly error?: RequestError }>
  /** Asks again. Resolves to whether the document exists. */
  ask(): Promise<boolean>
}

/** Asks at once. Until the answer, this device's data about the document applies. */
export function askDocument(id: string, key: string, known: RecentDocument | undefined): Answer {
  const called = signal(known?.title ?? '')
  const givenTitle = signal<string | null>(known?.givenTitle || null)
  const owned = signal(true)
  const published = signal(known?.published ?? false)
  const answered: Answer['answered'] = signal({})
  const ask = async (): Promise<boolean> => {
    try {
      const answer = await readDocument({ id, key })
      batch(() => {
        called.value = answer.title
        givenTitle.value = answer.givenTitle
        owned.value = answer.owner.kind !== 'anonymous'
        published.value = answer.published
        answered.value = { role: answer.effectiveRole ?? answer.role }
      })
      return true
    } catch (error) {
      answered.value = error instanceof RequestError ? { error } : {}
      return false
    }
  }
  void ask()
  return { called, givenTitle, owned, published, answered, ask }
}
