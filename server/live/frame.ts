/** The live socket's frames (docs/protocol.md). A frame contains an address, a type, and content of that type. */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'

/** Returns a frame. `write` writes its content. */
export const liveFrame = (address: string, type: number, write: (frame: encoding.Encoder) => void): Uint8Array => {
  const frame = encoding.createEncoder()
  encoding.writeVarString(frame, address)
  encoding.writeVarUint(frame, type)
  write(frame)
  return encoding.toUint8Array(frame)
}

export interface FrameHead {
  readonly doc: string
  /** The address in the frame: `doc` or `doc NUL session`. */
  readonly address: string
  readonly type: number
  /** The offset of the message's content. */
  readonly offset: number
}

/** Returns the address, the document and the type of a frame. Throws if the frame cannot be decoded. */
export const readFrame = (frame: Uint8Array): FrameHead => {
  const decoder = decoding.createDecoder(frame)
  const address = decoding.readVarString(decoder)
  const end = address.indexOf('\0')
  const type = decoding.readVarUint(decoder)
  return { doc: end === -1 ? address : address.slice(0, end), address, type, offset: decoder.pos }
}
