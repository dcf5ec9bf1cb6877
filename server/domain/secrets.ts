/** Creates secrets, finds them by hash, and encrypts them with the instance secret. */
import { crc32 } from 'node:zlib'
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/** AES-256-GCM with keys derived from the instance secret. */
export interface Vault {
  /** Encrypts text. Opening it requires the same `context`, which is authenticated but not stored. */
  seal(text: string, context: string): string
  /** Decrypts text. Throws if it was sealed with a different secret or context. */
  open(sealed: string, context: string): string
  /** Returns a stable name that does not reveal the text: a hash that nobody can compute without the instance secret. */
  disguise(text: string): string
}

/** Returns the value that was sealed as JSON. Returns undefined if the secret or the context was different. */
export const openSealed = <T>(vault: Vault, sealed: string, context: string): T | undefined => {
  try {
    return JSON.parse(vault.open(sealed, context)) as T
  } catch {
    return undefined
  }
}

const ivBytes = 12
const macBytes = 16
/** 22 characters hold 132 bits. This is enough to prevent two strings from having the same name by chance. */
const disguiseChars = 22

/** Derives a key. Node uses a `KeyObject` several times as fast as bytes, which it checks at each use. */
const deriveKey = (secret: Uint8Array, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))

export const createVault = (instanceSecret: Uint8Array): Vault => {
  const key = deriveKey(instanceSecret, 'agmd vault 1')
  const disguiseKey = deriveKey(instanceSecret, 'agmd disguise 1')
  return {
    disguise: (text) => createHmac('sha256', disguiseKey).update(text).digest('base64url').slice(0, disguiseChars),
    seal(text, context) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(bytes.length - macBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, bytes.length - macBytes)), decipher.final()]).toString('utf8')
    }
  }
}

/** Returns a new share key: 24 random bytes. */
export const newShareKey = (): string => randomBytes(24).toString('base64url')

/** Returns an id for a document or link: 12 random bytes, 16 characters. */
export const newId = (): string => randomBytes(12).toString('base64url')

/** Returns an id for an asset: 18 random bytes, 24 characters. Anyone who knows the id can open the asset. */
export const newAssetId = (): string => randomBytes(18).toString('base64url')

const checksum = (text: string): string => crc32(text).toString(36).padStart(7, '0')

/** Returns a new token: prefix, 32 random bytes, and a checksum that lets scanners tell a leaked token from random text. */
export const newToken = (prefix: string): string => {
  const body = `${prefix}${randomBytes(32).toString('base64url')}`
  return `${body}${checksum(body)}`
}

/** Whether a string has the form of a token with this prefix. The form includes a valid checksum. */
export const isToken = (prefix: string, token: string): boolean =>
  token.startsWith(prefix) &&
  /^[A-Za-z0-9_-]{43}[0-9a-z]{7}$/.test(token.slice(prefix.length)) &&
  checksum(token.slice(0, -7)) === token.slice(-7)

// Hashes are cached. When thousands of agents send a request each second, hashing would cost more than all other work on a key.
const hashes = new Map<string, string>()
const hashesMax = 10_000

/**
 * Returns the hash under which a secret is stored. Secrets are random and long, so a plain hash is enough. Records are found by this hash, so no
 * comparison of secrets can leak timing.
 */
export const hashSecret = (secret: string): string => {
  const known = hashes.get(secret)
  if (known !== undefined) return known
  const hashed = hash('sha256', secret, 'base64url')
  if (hashes.size >= hashesMax) hashes.clear()
  hashes.set(secret, hashed)
  return hashed
}
