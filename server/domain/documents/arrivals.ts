/**
 * Stores the documents of an import. An import adds new documents and never changes existing ones. The records of a large document arrive in pieces;
 * the head comes last, and until then the document does not exist. If an import is interrupted, the next one starts the document again.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type Head, encodeRecord, keys } from '../records/keys.ts'
import type { Check, Key, Put } from '../ports.ts'
import type { Service } from '../service.ts'
import { countUsage, measure } from './usage.ts'

/** Receives one document after another. The methods throw the errors of the storage, `quota_exceeded` and `invalid_request`. */
export interface Arrivals {
  /** Begins a document. Removes records that an interrupted import of the same document left behind. */
  begin(doc: string): Promise<void>
  /** Stores the bytes of an asset. */
  blob(name: string, bytes: Uint8Array): Promise<void>
  /** Stores records of the document that has been started. */
  records(puts: readonly Put[]): Promise<void>
  /** Stores the remaining records together with the head. From then on the document exists. */
  end(head: Head, puts: readonly Put[]): Promise<void>
}

const refuse = (message: string): never => {
  throw new ServiceError('invalid_request', { message })
}

/** Whether a record can belong to an imported document: it is below the document, or is an index entry that leads to it. */
const isOwn = (doc: string, [first, second, third]: Key): boolean =>
  (first === 'd' && second === doc && third !== undefined) || first === 'asset' || first === 'key' || first === 'owned'

const assetName = /^[A-Za-z0-9_-]{24}$/

export const createArrivals = ({ storage, blobs, quotas }: Pick<Service, 'storage' | 'blobs' | 'quotas'>): Arrivals => {
  let current: string | undefined

  const isFree = (doc: string): Check => ({ key: keys.head(doc), version: null })

  const commit = async (checks: readonly Check[], puts: readonly Put[], deletes: readonly Key[] = []): Promise<void> => {
    if (!(await storage.commit({ checks, puts, deletes })))
      refuse('A document, asset or link with this id was created while the command ran. Run the command again.')
  }

  /** Returns checks that the assets and links of a document are new, and that its account exists. */
  const checksOf = async ({ owner }: Head, puts: readonly Put[]): Promise<Check[]> => {
    const others = puts.filter(({ key: [first] }) => first === 'asset' || first === 'key').map(({ key }) => ({ key, version: null }))
    if (owner.kind !== 'account') return others
    const account = await storage.get(keys.account(owner.id ?? ''))
    if (account === undefined) return refuse('The account that would own the document does not exist.')
    return [...others, { key: account.key, version: account.version }]
  }

  return {
    async begin(doc) {
      current = undefined
      if ((await storage.get(keys.head(doc))) !== undefined) refuse(`The document ${doc} already exists.`)
      for (;;) {
        const left = await storage.list(keys.head(doc), { limit: limits.listMax })
        if (left.length === 0) break
        await commit(
          [isFree(doc)],
          [],
          left.map(({ key }) => key)
        )
      }
      current = doc
    },
    async blob(name, bytes) {
      if (current === undefined || !assetName.test(name)) refuse('No document has been started, or the asset name is invalid.')
      if ((await storage.get(keys.assetDocument(name))) !== undefined) refuse(`The asset ${name} exists.`)
      const upload = await blobs.receive([bytes] as unknown as AsyncIterable<Uint8Array>)
      try {
        await upload.keep(name)
      } catch (error) {
        await upload.discard()
        throw error
      }
    },
    async records(puts) {
      const doc = current ?? refuse('No document has been started.')
      if (!puts.every(({ key }) => key[0] === 'd' && isOwn(doc, key))) refuse('A record does not belong to the document.')
      await commit([isFree(doc)], puts)
    },
    async end(head, puts) {
      const doc = current ?? refuse('No document has been started.')
      if (head.id !== doc || !puts.every(({ key }) => isOwn(doc, key))) refuse('A record does not belong to the document.')
      const own = puts.filter(({ key }) => key[0] === 'd').reduce((sum, { value }) => sum + value.length, 0)
      const bytes = (await measure(storage, doc)) + own
      const release = await quotas.reserve(head, bytes)
      try {
        const usage = countUsage(undefined, { ...head, bytes }, puts)
        const all = [{ key: keys.head(doc), value: encodeRecord(usage.head) }, ...puts, ...usage.puts]
        await commit([isFree(doc), ...(await checksOf(head, puts))], all)
      } finally {
        release()
        current = undefined
      }
    }
  }
}
