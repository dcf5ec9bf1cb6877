/** The numbers of guests without names, such as "Guest 27". In one document, no two devices have the same number. */
import { createHash } from 'node:crypto'
import { limits } from '../../../shared/limits.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'

/** Earlier versions derived a number from 10 to 99 from the device, and stored nothing. Such a guest keeps the number if it is free. */
const [derivedMin, derivedCount] = [10, 90]

/** The other numbers are given in order, from the first number that was never derived. No earlier record can therefore have them. */
const givenMin = derivedMin + derivedCount

/**
 * Returns the number of a guest's device in a document. The first call stores it, so the number never changes, and other nodes know it. Beyond
 * `limits.guestNumberMax`, numbers are not stored and can repeat. Throws the errors of `Ledger.write`.
 */
export const guestNumberOf = async (
  { storage, ledger }: Pick<Service, 'storage' | 'ledger'>,
  doc: string,
  device: string
): Promise<number> => {
  const digest = createHash('sha256').update(`guest ${doc} ${device}`).digest()
  const hash = digest.toString('base64url')
  const derived = (digest.readUInt32BE() % derivedCount) + derivedMin
  const [own, holder] = [keys.guest(doc, hash), keys.guestNumber(doc, derived)]
  const stored = await storage.get(own)
  if (stored !== undefined) return decodeRecord<number>(stored.value)

  const take = (tx: Transaction): number => {
    const known = tx.read<number>(own)
    if (known !== undefined) return known
    const next = (tx.head.guestNumber ?? givenMin - 1) + 1
    const isFree = tx.read<string>(holder) === undefined
    if (!isFree && next > limits.guestNumberMax) return derived
    if (isFree) tx.put(holder, encodeRecord(hash))
    else tx.head = { ...tx.head, guestNumber: next }
    const number = isFree ? derived : next
    tx.put(own, encodeRecord(number))
    return number
  }
  return ledger.write(doc, 'system', take, { reads: [own, holder] })
}
