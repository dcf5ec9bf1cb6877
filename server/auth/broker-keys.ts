/** The keys with which the broker signs ID tokens. */
import { decodeRecord, encodeRecord, keys } from '../domain/records/keys.ts'
import type { Service } from '../domain/service.ts'

/**
 * Returns the signing keys, which are created at first use and stored sealed. One is an ES256 key, for clients that request it. The other is an RS256
 * key, because every client supports RS256.
 */
export const signingKeys = async ({ storage, vault }: Service): Promise<{ keys: JsonWebKey[] }> => {
  const key = keys.broker('signing-keys')
  const context = 'oidc signing keys'
  for (;;) {
    const entry = await storage.get(key)
    if (entry !== undefined) return JSON.parse(vault.open(decodeRecord<string>(entry.value), context)) as { keys: JsonWebKey[] }
    const { exportJWK, generateKeyPair } = await import('jose')
    const made = await Promise.all(
      ['RS256', 'ES256'].map(async (alg) => {
        const pair = await generateKeyPair(alg, { extractable: true })
        return { ...(await exportJWK(pair.privateKey)), alg, use: 'sig' }
      })
    )
    // Two processes that start at the same time must not sign with different keys. The later process reads the earlier process's keys.
    await storage.commit({
      checks: [{ key, version: null }],
      puts: [{ key, value: encodeRecord(vault.seal(JSON.stringify({ keys: made }), context)) }]
    })
  }
}
