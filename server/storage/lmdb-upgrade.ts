/**
 * Upgrades an LMDB store to the format of this program. Each step is one transaction, which also writes the new format into the identity of the store.
 * After `kill -9`, the store therefore has either the old format or the new one, and the next start continues. `instance.json` follows the store.
 *
 * A release that changes the format adds a step, raises `dataFormat`, and adds test/golden/format-N. A published step never changes.
 */
import type { RootDatabase } from 'lmdb'
import { type Instance, writeInstance } from './data-folder.ts'

/** Converts all records of a store from one format to the next, inside a transaction. Must not wait for anything. */
export type UpgradeStep = (database: RootDatabase<Uint8Array, Uint8Array>) => void

/** The steps in order. The first one converts format 1 to format 2. */
export const upgradeSteps: readonly UpgradeStep[] = []

export interface UpgradeOptions {
  readonly folder: string
  readonly instance: Instance
  readonly database: RootDatabase<Uint8Array, Uint8Array>
  /** The key and the current format of the identity in the store. */
  readonly identity: { readonly key: Buffer; readonly format: number }
  /** Only tests give other steps. */
  readonly steps?: readonly UpgradeStep[]
}

/** Performs the missing steps. If a step throws, the store keeps the format that it had before this step. Throws `DataFolderError`. */
export async function upgradeStore({ folder, instance, database, identity, steps = upgradeSteps }: UpgradeOptions): Promise<void> {
  const newest = steps.length + 1
  for (let { format } = identity; format < newest; format++) {
    await database.childTransaction(() => {
      steps[format - 1]!(database)
      database.putSync(identity.key, Buffer.from(JSON.stringify({ format: format + 1, instance: instance.instance })))
    })
  }
  if (instance.format < newest) await writeInstance(folder, { ...instance, format: newest })
}
