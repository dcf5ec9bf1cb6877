/** The service's answer about one document: its title, its owner and the person's rights, or the reason why it is missing. */
import { batch, signal, type Signal } from '@preact/signals'
import type { Role } from '../../shared/roles.ts'
import { RequestError } from '../client/api.ts'
import { readDocument } from '../client/documents.ts'
import type { RecentDocument } from '../device/recent.ts'

export interface Answer {
  /** The last known title of the document, until its text has loaded. */
  readonly called: Signal<string>
  /** The title that the owner gave the document. Null if the title comes from its text. */
  readonly givenTitle: Signal<string | null>
  /** Whether the document belongs to an account or agent. True until that is known. */
  readonly owned: Signal<boolean>
  readonly published: Signal<boolean>
  /** The last answer, which contains a role or an error. It is empty before the first answer. */
  readonly answered: Signal<{ readonly role?: Role; readonly error?: RequestError }>
  /** Asks the service again. Resolves to true if the document exists. */
  ask(): Promise<boolean>
}

/** Asks the service about a document. Until the response arrives, the data on this device applies. */
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
