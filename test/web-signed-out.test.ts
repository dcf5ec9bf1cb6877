/** The documents of an account that stay on a device after signing out. */
import { expect, test, vi } from 'vitest'
import { documentValue } from '../web/device/device.ts'
import type { RecentDocument } from '../web/device/recent.ts'
import type { StoredRecord } from '../web/device/records.ts'
import { hasUnsent } from '../web/device/unsent.ts'
import { readDevice, writeDevice } from '../web/device/values.ts'

// The list of documents listens to other tabs as soon as it is loaded.
vi.stubGlobal('window', { addEventListener: () => undefined })
const { forget, recentDocuments, remember } = await import('../web/device/recent.ts')
const { keepAll, noteOwned, ofAccount, removeAll } = await import('../web/home/signed-out.ts')

test('[HOME-15] after signing out, the documents of the account are removed from the device, except those with something to send', async () => {
  const doc = (id: string, change: Partial<Omit<RecentDocument, 'id'>>): void => remember(id, { role: 'owner', key: 'secret', ...change })
  const offered = (): string =>
    ofAccount(recentDocuments.value)
      .map(({ id }) => id)
      .toSorted()
      .join(' ')
  doc('mine', {})
  doc('claimed', {})
  doc('typed', {})
  doc('session', { key: '' })
  doc('shared', { role: 'edit', key: '' })
  expect(offered()).toBe('session')
  noteOwned(recentDocuments.value, new Set(['claimed', 'typed', 'session', 'elsewhere']))
  expect(offered()).toBe('claimed session typed')
  keepAll(ofAccount(recentDocuments.value))
  expect(offered()).toBe('')
  noteOwned(recentDocuments.value, new Set(['claimed', 'typed', 'session']))
  writeDevice(documentValue('unsent', 'typed'), '2')
  writeDevice(documentValue('seen', 'claimed'), 'kept')
  expect((await removeAll(ofAccount(recentDocuments.value))).map(({ id }) => id)).toEqual(['typed'])
  expect(recentDocuments.value.map(({ id }) => id).toSorted()).toEqual(['mine', 'shared', 'typed'])
  expect(readDevice(documentValue('seen', 'claimed'))).toBeNull()
  writeDevice(documentValue('unsent', 'typed'), null)
  // Unsent changes count wherever they are stored.
  for (const name of [`${documentValue('drafts', 'typed')}.page`, documentValue('deeds', 'typed')]) {
    writeDevice(name, '[{"id":"a"}]')
    expect(await hasUnsent('typed')).toBe(true)
    writeDevice(name, null)
  }
  const entry: StoredRecord = { id: 'a', doc: 'typed', at: 1 }
  expect(await hasUnsent('typed', { list: async (id) => (id === entry.doc ? [entry] : []) })).toBe(true)
  expect(await hasUnsent('typed', { list: async () => [] })).toBe(false)
  for (const { id } of recentDocuments.value) forget(id)
})
