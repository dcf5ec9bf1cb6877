/** The command `agmd node`, which makes this machine do media jobs for a service. The command only connects outward and opens no port. */
import { randomBytes } from 'node:crypto'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { relayCloseCodes, relayPath } from '../../shared/relay.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { Action } from '../call.ts'
import { Failure } from '../failure.ts'
import { requireEncryption } from '../plain-http.ts'
import { oneLine } from '../terminal.ts'
import { removeLeftFolders } from './folders.ts'
import { localEngines } from './local.ts'
import { openaiEngines } from './openai.ts'
import { connect } from './worker.ts'

/** Shortest and longest delay between two attempts to connect, in milliseconds. */
const pauseMsMin = 500
const pauseMsMax = 10_000

/** Reads the token from the environment, because everyone on this machine can see the command line. */
const tokenOf = (): string => {
  const token = process.env['AGMD_NODE_TOKEN'] ?? ''
  if (/^anode_\S+$/.test(token)) return token
  throw new Failure(
    'usage',
    token === '' ? 'AGMD_NODE_TOKEN is not set.' : 'AGMD_NODE_TOKEN is not a node token.',
    'Create a token with agmd node token or on the account page.'
  )
}

/** Close codes after which the node does not connect again. */
const fatal: Readonly<Record<number, Failure>> = {
  [relayCloseCodes.tokenEnded]: new Failure('not_signed_in', 'This node’s token was revoked.', 'Create a new token: agmd node token.'),
  [relayCloseCodes.tooMany]: new Failure(
    'canceled',
    'Another node connected with the same token.',
    'Create a token for each node: agmd node token.'
  ),
  [relayCloseCodes.badMessage]: new Failure(
    'not_an_agmd_service',
    'The service and this node speak different versions of the protocol.',
    'Update the node: agmd upgrade.'
  )
}

/**
 * Returns the HTTP status with which the service refuses the socket, because a WebSocket does not report it. Returns undefined if the service accepts
 * the socket or does not answer.
 */
const refusalOf = (origin: string, token: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64')
    }
    const request = origin.startsWith('https:') ? secureRequest : plainRequest
    request(`${origin}${relayPath}`, { headers, signal: AbortSignal.timeout(10_000) })
      .once('response', (response) => {
        response.destroy()
        resolve(response.statusCode)
      })
      .once('upgrade', (_response, socket) => {
        socket.destroy()
        resolve(undefined)
      })
      .once('error', () => resolve(undefined))
      .end()
  })

/** Explains why the connection failed. Throws `not_signed_in` if the token is invalid. */
const whyRefused = async (origin: string, token: string): Promise<string> => {
  const status = await refusalOf(origin, token)
  if (status === 401)
    throw new Failure(
      'not_signed_in',
      'The service does not know this token. It was revoked, or it belongs to another service.',
      'Create a new token with agmd node token or on the account page.'
    )
  return status === undefined ? '' : `answered ${status}; a proxy must pass WebSocket upgrades on ${relayPath}`
}

export const node: Action = async (call) => {
  if (typeof WebSocket !== 'function')
    throw new Failure('usage', `agmd node needs Node 22 or newer, but this is ${process.version}.`, 'See https://nodejs.org.')
  const { terminal } = call
  const token = tokenOf()
  const origin = call.origin()
  requireEncryption(new URL(origin))
  // A configured engine takes precedence over a detected engine.
  const remote = await openaiEngines((words) => terminal.warn(words))
  const engines = [...remote, ...(await localEngines()).filter(({ kind }) => remote.every((each) => each.kind !== kind))]
  const offers = Object.fromEntries(engines.map(({ kind, name }) => [kind, name]))
  const tell = (value: Readonly<Record<string, unknown>>, words: string): void =>
    terminal.flags.json ? terminal.line(value) : terminal.say(oneLine(words))
  tell({ offers }, `Engines: ${engines.map(({ kind, name }) => `${kind} (${name})`).join(', ') || 'nothing'}.`)
  if (call.flag('check') === true) return exitCodes.ok
  if (engines.length === 0)
    throw new Failure(
      'usage',
      'This machine has no engine.',
      'Install tesseract-ocr, flite, espeak-ng or pocketsphinx, or set AGMD_NODE_OPENAI_URL.'
    )

  await removeLeftFolders()
  const stopped = new AbortController()
  process.once('SIGTERM', () => stopped.abort())
  const slots = Number(call.option('slots') ?? 1)
  if (!Number.isInteger(slots) || slots < 1 || slots > 16) throw new Failure('usage', '--slots must be from 1 to 16.', 'agmd node --help')
  const options = {
    origin,
    token,
    engines,
    slots,
    onWelcome: (name: string) => tell({ connected: true, name }, `Connected to ${origin} as ${name}.`),
    onJob: (kind: string, how: string) => tell({ job: kind, how }, `${kind}: ${how}`)
  }
  for (let pauseMs = pauseMsMin; !stopped.signal.aborted;) {
    const { code, reason, welcomed } = await connect(options, stopped.signal)
    if (stopped.signal.aborted) break
    const failure = fatal[code]
    if (failure !== undefined) throw failure
    const why = reason || (welcomed ? '' : await whyRefused(origin, token))
    pauseMs = welcomed ? pauseMsMin : Math.min(pauseMsMax, pauseMs * 2)
    tell({ connected: false, reason: why }, `Not connected${why === '' ? '' : ` (${why})`}; reconnecting.`)
    // After a restart of the service all nodes reconnect. A random delay keeps them from reconnecting at the same moment.
    await pause(pauseMs * (0.5 + Math.random() / 2), stopped.signal)
  }
  return exitCodes.ok
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true }
    )
  })
