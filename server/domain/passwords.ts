/** Passwords: argon2id of Node's own crypto (OWASP: 19 MiB, 2 passes, 1 lane), kept as a PHC string. */
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

const hashBytes: (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer> = promisify(argon2)
const cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }
const prefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`

let running = 0
const waiting: (() => void)[] = []

/** Few at once, in turn. Errors: `rate_limited` when too many wait: hashing is what a flood of sign-ins would cost us. */
const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running >= limits.passwordsAtOnceMax) {
    if (waiting.length >= limits.passwordsWaitingMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

const digest = (password: string, nonce: Buffer): Promise<Buffer> =>
  inTurn(() => hashBytes('argon2id', { ...cost, message: Buffer.from(password.normalize('NFKC')), nonce }))

export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  return `${prefix}${salt.toString('base64url')}$${(await digest(password, salt)).toString('base64url')}`
}

const nobody = `${prefix}${randomBytes(16).toString('base64url')}$${randomBytes(32).toString('base64url')}`

/** Whether the password is the one of `stored`. With `undefined` (no account, or one without a password) it takes as long and is false. */
export const checkPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [salt = '', tag = ''] = (stored ?? nobody).slice(prefix.length).split('$')
  const found = await digest(password, Buffer.from(salt, 'base64url'))
  return timingSafeEqual(found, Buffer.from(tag, 'base64url')) && stored !== undefined
}

/** What is wrong with a new password, for people; undefined when nothing is. */
export const passwordProblem = (password: string): string | undefined => {
  const length = Array.from(password).length
  if (length < limits.passwordCharsMin) return `Choose a password of at least ${limits.passwordCharsMin} characters.`
  return length > limits.passwordCharsMax ? `Choose a password of at most ${limits.passwordCharsMax} characters.` : undefined
}
