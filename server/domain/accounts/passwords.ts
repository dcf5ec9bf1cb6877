/** Passwords, hashed with argon2id from Node's crypto module (OWASP: 19 MiB, 2 passes, 1 lane) and stored as PHC strings. */
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type Sentence, term } from '../../../shared/words.ts'

const hashBytes: (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer> = promisify(argon2)
const cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }
const prefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs `work` in its turn: only a few hashes run at a time. Throws `rate_limited` if too many wait, because hashing is the main cost of a flood of
 * sign-ins.
 */
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

/**
 * Whether the password matches `stored`. If `stored` is undefined (no account, or an account without a password), the check takes the same time and
 * returns false.
 */
export const checkPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [salt = '', tag = ''] = (stored ?? nobody).slice(prefix.length).split('$')
  const found = await digest(password, Buffer.from(salt, 'base64url'))
  return timingSafeEqual(found, Buffer.from(tag, 'base64url')) && stored !== undefined
}

/** Passwords of at least ten characters that attackers guess first, in lower case. Shorter passwords are refused because of their length. */
const common = new Set(
  (
    '1234567890 0123456789 0987654321 9876543210 12345678910 123456789a 1234567891 1111111111 0000000000 1234512345 1122334455 ' +
    '123123123123 123456789012 qwertyuiop qwerty123456 qwerty12345 qwertyuiop123 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc q1w2e3r4t5 asdfghjkl1 ' +
    'password12 password123 password1234 passw0rd123 passwordpassword iloveyou123 letmein123 welcome123 administrator ' +
    'changeme123 abcdefghij abcd123456 aaaaaaaaaa football123 correcthorsebatterystaple'
  ).split(' ')
)

/** Returns the reason why a new password for this address is refused, as a message for people; undefined if the password is acceptable. */
export const passwordProblem = (password: string, email: string): Sentence | undefined => {
  const length = Array.from(password).length
  if (length < limits.passwordCharsMin)
    return { sentence: term('Use at least {count} characters.'), values: { count: limits.passwordCharsMin } }
  if (length > limits.passwordCharsMax)
    return { sentence: term('Use at most {count} characters.'), values: { count: limits.passwordCharsMax } }
  const plain = password.normalize('NFKC').trim().toLowerCase()
  if ([email, email.split('@')[0]].includes(plain)) return { sentence: term('Choose a password that is not your email address.') }
  return common.has(plain) ? { sentence: term('This password is easy to guess. Choose another one.') } : undefined
}
