/** The documents that were opened on this device, newest first, each with its share key. Share keys are stored only here. */
import { signal } from '@preact/signals'
import { roles, type Role } from '../../shared/roles.ts'
import { deviceValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

export interface RecentDocument {
  readonly id: string
  readonly title: string
  /** The title that the owner gave the document, or '' if there is none. */
  readonly givenTitle: string
  readonly role: Role | null
  /** The share key, or '' if the document was opened without one. */
  readonly key: string
  /** When the document was last opened, in milliseconds since 1970. */
  readonly openedAt: number
  /** Whether this device has received the text, so that the document can be opened offline. */
  readonly received: boolean
  /** Whether the document was published when this device last loaded it. */
  readonly published: boolean
  /** The name that the share link was made for, or '' if there is none. */
  readonly given: string
  /** The time until which the document can be restored from the trash, in milliseconds since 1970. It is 0 if the document is not in the trash. */
  readonly trashedUntil: number
  /**
   * Whether the account that was signed in here owns the document. It is false if the person chose to keep the document here after signing out, and
   * null if unknown.
   */
  readonly inAccount: boolean | null
}

const storageKey = deviceValue('documents')
const recentMax = 200

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function parseOne(value: unknown): RecentDocument[] {
  if (typeof value !== 'object' || value === null) return []
  const entry = value as Record<string, unknown>
  if (text(entry['id']) === '') return []
  const role = roles.find((name) => name === entry['role']) ?? null
  return [
    {
      id: text(entry['id']),
      title: text(entry['title']),
      givenTitle: text(entry['givenTitle']),
      role,
      key: text(entry['key']),
      openedAt: Number(entry['openedAt']) || 0,
      received: entry['received'] === true,
      published: entry['published'] === true,
      given: text(entry['given']),
      trashedUntil: Number(entry['trashedUntil']) || 0,
      inAccount: typeof entry['inAccount'] === 'boolean' ? entry['inAccount'] : null
    }
  ]
}

function load(): RecentDocument[] {
  try {
    const list: unknown = JSON.parse(readDevice(storageKey) ?? '[]')
    return Array.isArray(list) ? list.flatMap(parseOne) : []
  } catch {
    return []
  }
}

export const recentDocuments = signal<readonly RecentDocument[]>(load())

window.addEventListener('storage', (event) => {
  if (event.key === storageKey) recentDocuments.value = load()
})

function save(list: readonly RecentDocument[]): void {
  recentDocuments.value = list
  writeDevice(storageKey, JSON.stringify(list))
}

export const findRecent = (id: string): RecentDocument | undefined => recentDocuments.value.find((entry) => entry.id === id)

/** Stores facts about a document. Fields that `change` does not contain keep their values. */
export function remember(id: string, change: Partial<Omit<RecentDocument, 'id'>>): void {
  const known: RecentDocument = {
    id,
    title: '',
    givenTitle: '',
    role: null,
    key: '',
    openedAt: Date.now(),
    received: false,
    published: false,
    given: '',
    trashedUntil: 0,
    inAccount: null
  }
  // The list is read again because another tab may have changed it.
  const list = load()
  const entry = { ...known, ...list.find((other) => other.id === id), ...change }
  save([entry, ...list.filter((other) => other.id !== id)].sort((one, other) => other.openedAt - one.openedAt).slice(0, recentMax))
}

/** Records when a document was last opened here, unless it has been removed, perhaps by another tab. */
export function noteOpen(id: string): void {
  if (load().some((entry) => entry.id === id && entry.received)) remember(id, { openedAt: Date.now() })
}

export function forget(id: string): void {
  save(load().filter((entry) => entry.id !== id))
}
