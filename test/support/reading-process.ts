/** A process that reads a store like a backup: it holds one state of the store, from the line that it prints until its standard input ends. */
import { readInstance } from '../../server/storage/data-folder.ts'
import { openLmdbSnapshot } from '../../server/storage/lmdb-snapshot.ts'

const folder = process.argv[2] ?? ''
const instance = await readInstance(folder)
if (instance === undefined) throw new Error(`${folder} has no data`)
const snapshot = await openLmdbSnapshot(folder, instance)
await snapshot.count()
process.stdout.write('reading\n')
for await (const _ of process.stdin);
await snapshot.close()
