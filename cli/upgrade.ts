/** The command `upgrade`: downloads the program from the service, verifies its checksum, and replaces the running file. */
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { version } from './build.ts'
import type { Action } from './call.ts'
import { Failure } from './failure.ts'
import { writeWhole } from './files.ts'
import { type Answer, send } from './request.ts'

/** Largest program that is accepted, in bytes. */
const programBytesMax = 10 * 1024 * 1024

/** Returns the path of the running file. */
const ownFile = (): string => realpathSync(process.argv[1] ?? '')

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const get = async (address: string): Promise<Answer> => {
  const response = await send(address)
  if (!response.ok) throw new Failure('not_an_agmd_service', `${address} answered ${response.status}.`, 'Check AGMD_URL.')
  return response
}

/** Returns the checksum that a service reports for its program. Throws `not_an_agmd_service`. */
export const offeredChecksum = async (origin: string): Promise<string> => {
  const text = (await get(`${origin}/downloads/agmd/checksum`)).text()
  const sum = /^[0-9a-f]{64}/.exec(text)?.[0]
  if (sum === undefined) throw new Failure('not_an_agmd_service', `${origin} sent no checksum.`, 'Check AGMD_URL.')
  return sum
}

/** Throws `usage` if this program was not downloaded from a service. */
const checkDownloaded = (): void => {
  if (version === 'from source') throw new Failure('usage', 'This is not a built copy of agmd.', 'npm run build creates dist/agmd.')
}

/** Whether this program is identical to the one that the service offers. */
export const isCurrent = async (origin: string): Promise<boolean> => (await offeredChecksum(origin)) === sha256(readFileSync(ownFile()))

export const upgrade: Action = async (call) => {
  checkDownloaded()
  const origin = call.origin()
  const sum = await offeredChecksum(origin)
  const file = ownFile()
  if (sum === sha256(readFileSync(file)))
    return call.answer({ ok: true, changed: false }, () => 'agmd is already the version that the service offers.')
  if (call.flag('check') === true)
    return call.answer({ ok: true, changed: false, available: true }, () => 'The service has a different version: agmd upgrade')
  const bytes = (await get(`${origin}/downloads/agmd`)).bytes
  if (sha256(bytes) !== sum || bytes.length > programBytesMax)
    throw new Failure(
      'checksum_mismatch',
      'The download does not match its checksum. Nothing was changed.',
      'Try again; if it happens again, tell the operator.'
    )
  writeWhole(file, bytes)
  return call.answer({ ok: true, changed: true, file }, () => `Replaced ${file}.`)
}
