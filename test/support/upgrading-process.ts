/** Begins to upgrade the store of a data folder (first argument), and kills itself with SIGKILL in the middle of the step. */
import { join } from 'node:path'
import { readInstance } from '../../server/storage/data-folder.ts'
import { openDatabase } from '../../server/storage/lmdb-database.ts'
import { upgradeStore } from '../../server/storage/lmdb-upgrade.ts'

const [folder = ''] = process.argv.slice(2)
const instance = (await readInstance(folder))!
const database = openDatabase(join(folder, 'store'), false)
const dying = (): void => {
  database.putSync(Buffer.from('\u0020half\0'), Buffer.from('made'))
  process.kill(process.pid, 'SIGKILL')
}
await upgradeStore({ folder, instance, database, identity: { key: Buffer.from('\0instance'), format: 1 }, steps: [dying] })
