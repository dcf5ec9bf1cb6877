/** The answer of the service about one document: what it is called, who it belongs to, what one may do with it, or why it is not there. */
import { batch, signal, type Signal } from '@preact/signals'
import type { Role } from '../../shared/roles.ts'
import { RequestError } from '../client/api.ts'
import { readDocument } from '../client/documents.ts'
import type { RecentDocument } from '../device/recent.ts'

export interface Answer {
  /** Its title when it was seen last, until its text is there. */
  readonly called: Signal<string>
  /** The title that the document was given; null: it is called as its text says. */
  readonly givenTitle: Signal<string | null>
  /** Whether it belongs to an account or agent already; true until that is known. */
  readonly owned: Signal<boolean>
  readonly published: Signal<boolean>
  /** The last answer: a role, or an error; neither, until there is one. */
  readonly answered: Signal<{ readonly role?: Role; readonly error?: RequestError }>
  /** Asks again. Answers whether the document is there. */
  ask(): Promise<boolean>
}

/** Asks at once. Until the answer, what this device knows of the document holds. */
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
