/** The command `doctor`, which checks this machine, the service and the session. */
import { statSync } from 'node:fs'
import { exitCodes } from '../shared/exit-codes.ts'
import { version } from './build.ts'
import type { Action, Call } from './call.ts'
import { Failure, reportOf } from './failure.ts'
import { hostsPath, readHosts } from './hosts.ts'
import { clientFor, tokenFor } from './service.ts'
import { columns, oneLine } from './terminal.ts'
import { isCurrent } from './upgrade.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly said: string
  readonly exit?: number
}

const check = async (name: string, look: () => Promise<string> | string): Promise<Check> => {
  try {
    return { name, ok: true, said: await look() }
  } catch (error) {
    const { message, hint, exit } = reportOf(error)
    return { name, ok: false, said: oneLine(`${message} ${hint}`), exit }
  }
}

const settings = (): string => {
  // The permissions are read before the file, because reading the file repairs them.
  const found = statSync(hostsPath(), { throwIfNoEntry: false })
  const wasOpen = process.platform !== 'win32' && found !== undefined && (found.mode & 0o077) !== 0
  const count = Object.keys(readHosts()).length
  if (wasOpen)
    throw new Failure(
      'config_unusable',
      `Until now, other users of this machine could read ${hostsPath()}.`,
      'agmd has set the mode of this file to 600. If somebody may have read the file, revoke its links and sessions (agmd share revoke, agmd auth revoke-all).'
    )
  return found === undefined ? `no services yet (${hostsPath()})` : `${count} service${count === 1 ? '' : 's'} in ${hostsPath()}`
}

const session = async (origin: string, token: string | undefined): Promise<string> => {
  if (token === undefined) return 'not signed in; links work without a sign-in'
  const { user } = await clientFor({ origin, key: undefined, token, author: undefined }).readMe()
  return `signed in as ${oneLine(user.email ?? user.name)}`
}

const service = async (call: Call): Promise<Check[]> => {
  const origin = call.origin()
  const reached = await check('service', async () => {
    // No credentials are sent, because an expired session is not a fault of the service.
    const health = await clientFor({ origin, key: undefined, token: undefined, author: undefined }).readHealth()
    return `${origin}, version ${oneLine(health.version)}, ${health.status}`
  })
  if (!reached.ok) return [reached]
  return [
    reached,
    await check('session', () => session(origin, tokenFor(origin, call.words('url')))),
    await check('program', async () =>
      (await isCurrent(origin)) ? 'the same version as the service' : 'not the same version as the service: run agmd upgrade'
    )
  ]
}

export const doctor: Action = async (call) => {
  const checks = [
    { name: 'agmd', ok: true, said: `${version}, Node ${process.version}` },
    await check('settings', settings),
    ...(await service(call).catch((error: unknown): Check[] => [
      { name: 'service', ok: false, said: `${reportOf(error).message} ${reportOf(error).hint}`, exit: reportOf(error).exit }
    ]))
  ]
  const { paint } = call.terminal
  call.answer({ ok: checks.every(({ ok }) => ok), checks: checks.map(({ name, ok, said }) => ({ name, ok, said })) }, () =>
    columns(checks.map(({ name, ok, said }) => [ok ? paint('green', 'ok') : paint('red', '!!'), name, said]))
  )
  return checks.find(({ ok }) => !ok)?.exit ?? exitCodes.ok
}
