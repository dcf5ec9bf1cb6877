/**
 * A process that writes, deletes and erases until it is killed: `node erasing-process.ts <folder> <round>`. It prints `put n` or `deleted n` for each
 * commit that is on disk, and `erased` after each erasure.
 */
import { openLmdbStorage } from '../../server/storage/lmdb.ts'
import { valueOf } from './erasing-values.ts'

const [folder = '', round = '0'] = process.argv.slice(2)
const storage = await openLmdbStorage({ folder })
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const work = async (): Promise<never> => {
  for (let count = 0; ; count++) {
    const name = `${round}.${count}`
    await storage.commit({ puts: [{ key: ['d', name], value: valueOf(name) }] })
    say(`put ${name}`)
    if (count % 3 === 0) continue
    say(`deleting ${name}`)
    await storage.commit({ deletes: [['d', name]], erase: true })
    say(`deleted ${name}`)
  }
}

const erase = async (): Promise<never> => {
  for (;;) {
    await storage.erase?.()
    say('erased')
  }
}

await Promise.all([work(), erase()])
