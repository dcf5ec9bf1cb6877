/** The commands `login` and `logout`. A person approves a login in the browser with a code (RFC 8628). */
import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { exitCodes } from '../shared/exit-codes.ts'
import type { Call } from './call.ts'
import { Failure } from './failure.ts'
import { forgetSession, readHosts, rememberSession } from './hosts.ts'
import { send } from './request.ts'
import { clientFor } from './service.ts'
import { oneLine, readInput } from './terminal.ts'

/** After slow_down, a client must wait 5 more seconds between polls (RFC 8628 §3.5). */
const slowDownSeconds = 5

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

// ——— the browser ———

/** Returns the command that opens an address in the default browser of this system. */
const opener = (): readonly string[] => {
  const { BROWSER } = process.env
  if ((BROWSER ?? '') !== '') return [BROWSER as string]
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open']
}

/** Opens an address in the browser. Resolves to false if no program can open it. */
export const openInBrowser = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [program = '', ...words] = opener()
    const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })

/** Opens the address when the person presses Enter. Returns a function that stops listening. */
const openOnEnter = (address: string): (() => void) => {
  const lines = createInterface({ input: process.stdin })
  lines.once('line', () => void openInBrowser(address))
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  return () => lines.close()
}

// ——— the code ———

interface Approved {
  readonly access_token: string
  readonly user: { readonly name: string; readonly email: string | null }
}

const refusals: Readonly<Record<string, readonly [string, string]>> = {
  expired_token: ['The code has expired: nobody approved it in time.', 'Start again: agmd login.'],
  access_denied: ['The login was denied.', 'If that was a mistake, start again: agmd login.']
}

/** Polls until the person has approved or denied the login. Throws `not_signed_in`. */
const poll = async (origin: string, deviceCode: string, seconds: number): Promise<Approved> => {
  for (let interval = seconds; ;) {
    await pause(interval)
    const response = await send(`${origin}/api/cli/device/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ device_code: deviceCode, client_id: 'agmd', grant_type: 'urn:ietf:params:oauth:grant-type:device_code' })
    })
    const said = (await response.json().catch(() => ({}))) as { error?: string; error_description?: string }
    if (response.ok) return said as unknown as Approved
    if (said.error === 'slow_down') interval += slowDownSeconds
    else if (said.error !== 'authorization_pending' && response.status !== 429) {
      const [message, hint] = refusals[said.error ?? ''] ?? [
        said.error_description ?? `The service answered ${response.status}.`,
        'Run agmd doctor for details.'
      ]
      throw new Failure('not_signed_in', oneLine(message), hint)
    }
  }
}

/** Whether an address belongs to the service or to its identity broker (AGMD_AUTH_URL). The client sends people to no other address. */
const isExpected = (address: string, origin: string): boolean => {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return false
  const { AGMD_AUTH_URL } = process.env
  const { origin: there } = new URL(address)
  return there === origin || (URL.canParse(AGMD_AUTH_URL ?? '') && new URL(AGMD_AUTH_URL ?? '').origin === there)
}

const byDevice = async (call: Call, origin: string): Promise<Approved> => {
  const { terminal } = call
  const name = call.words('name') ?? `agmd on ${hostname()}`
  const begun = await clientFor({ origin, key: undefined, token: undefined, author: undefined }).startDeviceLogin({
    client_name: name.slice(0, 80)
  })
  const { user_code: code, verification_uri: short, verification_uri_complete: address, expires_in: seconds } = begun
  if (terminal.flags.json) {
    terminal.line({ user_code: code, verification_uri: short, verification_uri_complete: address, expires_in: seconds })
  } else {
    terminal.warn(`Your one-time code: ${terminal.paint('bold', oneLine(code))}`)
    terminal.warn(`Open ${oneLine(address)} and compare the code there.`)
    terminal.say(`Waiting for your approval, at most ${Math.round(seconds / 60)} minutes. Press Ctrl-C to cancel.`)
  }
  const mayOpen = terminal.asks && call.flag('browser') !== false && isExpected(address, origin)
  if (mayOpen) terminal.say('Press Enter to open the page here.')
  const close = mayOpen ? openOnEnter(address) : (): void => undefined
  try {
    return await poll(origin, begun.device_code, begun.interval)
  } finally {
    close()
  }
}

/** Reads a token from standard input. On the command line, other users of the machine could read it. */
const byToken = async (origin: string): Promise<Approved> => {
  if (process.stdin.isTTY) process.stderr.write('Paste the token, then press Enter and Ctrl-D.\n')
  const token = (await readInput()).trim()
  if (!/^(asess|apat|ai)_\S+$/.test(token))
    throw new Failure('usage', 'There is no token on standard input.', 'A token begins with asess_, apat_ or ai_.')
  const { user } = await clientFor({ origin, key: undefined, token, author: undefined }).readMe()
  return { access_token: token, user }
}

export const login = async (call: Call): Promise<void> => {
  const origin = call.origin()
  const { access_token: token, user } = call.flag('with-token') === true ? await byToken(origin) : await byDevice(call, origin)
  const name = user.email ?? user.name
  rememberSession(origin, token, name)
  const said = { ok: true, origin, user }
  if (call.terminal.flags.json) call.terminal.line(said)
  else call.terminal.say(`${call.terminal.paint('green', '✓')} Signed in to ${new URL(origin).host} as ${oneLine(name)}.`)
}

/** Deletes the session on this machine, and also ends it at the service if the service can be reached. */
export const logout = async (call: Call): Promise<number> => {
  const origin = call.origin()
  const token = readHosts()[origin]?.token
  if (token === undefined) {
    call.answer({ ok: true, origin, ended: false }, () => `You were not signed in to ${new URL(origin).host}.`)
    return exitCodes.ok
  }
  const client = clientFor({ origin, key: undefined, token, author: undefined })
  const ended = await client
    .listSessions()
    .then(({ sessions }) => sessions.find(({ current }) => current))
    .then((own) => own !== undefined && client.revokeSession({ session: own.id }).then(() => true))
    .catch((error: unknown) => {
      call.terminal.warn(`The service could not end the session: ${oneLine((error as Error).message)}`)
      return false
    })
  forgetSession(origin)
  call.answer({ ok: true, origin, ended }, () => `Signed out of ${new URL(origin).host}.`)
  return exitCodes.ok
}
