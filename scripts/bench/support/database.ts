/** Measures a PostgreSQL cluster of a benchmark. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Cluster } from '../../../test/support/postgres.ts'
import { cpuSeconds } from './crowd.ts'

export interface Database {
  /** Returns the first value of a query. */
  value(sql: string): Promise<string>
  /** Returns the CPU time of all processes of PostgreSQL so far, in seconds. Processes that have ended do not count. */
  cpuSeconds(): number
  end(): Promise<void>
}

export const connectDatabase = async (cluster: Cluster): Promise<Database> => {
  const client = new pg.Client(cluster.address())
  await client.connect()
  const value = async (sql: string): Promise<string> => String((await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0])
  const postmaster = Number(readFileSync(join(await value('show data_directory'), 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    value,
    cpuSeconds: () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .reduce((sum, name) => {
          try {
            const parent = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
            return parent === postmaster ? sum + cpuSeconds(Number(name)) : sum
          } catch {
            return sum
          }
        }, 0),
    end: () => client.end()
  }
}
