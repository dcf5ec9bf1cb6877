/** A device that makes passkeys (WebAuthn, ES256, attestation "none"). A test can choose its faults. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Ceremony {
  /** The request of the page, which is the JSON of `data-options`. */
  readonly options: string
  readonly origin: string
  /** Whether the device verified the person. The default is true. */
  readonly verified?: boolean
  /** The device signs this challenge instead of the requested one. */
  readonly challenge?: string
  readonly rpId?: string
}

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
/** Minimal CBOR: a byte string of 24 to 255 bytes, and text shorter than 24 bytes. */
const cborBytes = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes])
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])

export const newAuthenticator = () => {
  const id = randomBytes(16)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  let counter = 0

  /** The public key as COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
  const coseKey = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url'))
  ])

  const authenticatorData = ({ verified = true }: Ceremony, rpId: string, attested: Uint8Array): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested])
  }

  const clientData = (type: string, { options, origin, challenge }: Ceremony): Buffer =>
    Buffer.from(
      JSON.stringify({ type, challenge: challenge ?? (JSON.parse(options) as { challenge: string }).challenge, origin, crossOrigin: false })
    )

  const answer = (response: object): string =>
    JSON.stringify({ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {}, response })

  return {
    make(ceremony: Ceremony): string {
      const { rp } = JSON.parse(ceremony.options) as { rp: { id: string } }
      const attested = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey])
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        cborBytes(authenticatorData(ceremony, ceremony.rpId ?? rp.id, attested))
      ])
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', ceremony)),
        attestationObject: base64url(attestationObject)
      })
    },

    use(ceremony: Ceremony): string {
      const { rpId } = JSON.parse(ceremony.options) as { rpId: string }
      const data = authenticatorData(ceremony, ceremony.rpId ?? rpId, Buffer.alloc(0))
      const client = clientData('webauthn.get', ceremony)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return answer({ clientDataJSON: base64url(client), authenticatorData: base64url(data), signature: base64url(signature) })
    },

    /** Sets the counter back to 0, as if this were a copy of the passkey that has been used less often. */
    turnBack() {
      counter = 0
    }
  }
}
