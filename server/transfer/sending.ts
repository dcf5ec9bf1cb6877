/** Sends an import to the running server, over a connection that the caller has opened (server/operator-socket.ts). */
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorMeanings, ServiceError } from '../../shared/errors.ts'
import type { Arrivals } from '../domain/documents/arrivals.ts'
import { type AnswerFacts, decodeAnswer, encodeFrame, type Frame, framesIn } from './frames.ts'
import { TransferError } from './source.ts'

const lostMessage = 'The server stopped during the import. Start it, and run the same command again: the import continues where it stopped.'

const lost = (): TransferError => new TransferError(lostMessage, { fatal: true })

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorMeanings, code)

const refusalOf = ({ code, message, hint }: AnswerFacts): Error => {
  if (isErrorCode(code)) return new ServiceError(code, { message: String(message), ...(typeof hint === 'string' && { hint }) })
  return new TransferError(String(message), { fatal: true })
}

/** Begins an import. Throws `TransferError` if the server has another version, or is receiving another import. */
export const beginSending = async (socket: Duplex, version: string): Promise<Arrivals> => {
  socket.on('error', () => socket.destroy())
  const answers = framesIn(socket)
  const answer = async (): Promise<AnswerFacts> => {
    const { value, done } = await answers.next().catch(() => ({ value: undefined, done: true }) as const)
    if (done === true || value === undefined) throw lost()
    const facts = decodeAnswer(value)
    if (facts['ok'] !== true) throw refusalOf(facts)
    return facts
  }
  const ask = async (kind: Frame['kind'], facts: Frame['facts'] = {}, puts: Frame['puts'] = []): Promise<void> => {
    socket.write(encodeFrame({ kind, facts, puts }))
    await answer()
  }
  try {
    const hello = await answer()
    if (hello['version'] !== version)
      throw new TransferError(
        `The running server has version ${String(hello['version'])}, but this program has version ${version}. Restart the server first.`
      )
  } catch (error) {
    socket.destroy()
    throw error
  }
  return {
    begin: (doc) => ask('begin', { doc }),
    blob: (name, bytes) => ask('blob', {}, [{ key: [name], value: bytes }]),
    records: (puts) => ask('records', {}, puts),
    end: (head, puts) => ask('end', { head }, puts)
  }
}
