/** Receives imports in the running server, over connections that the caller has accepted (server/operator-socket.ts). */
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../shared/errors.ts'
import { createArrivals } from '../domain/documents/arrivals.ts'
import type { Head } from '../domain/records/keys.ts'
import type { Service } from '../domain/service.ts'
import { type AnswerFacts, decodeFrame, encodeAnswer, type Frame, framesIn } from './frames.ts'

interface ReceiverOptions {
  readonly service: Service
  /** Called if an import fails for a reason that the server must report. */
  readonly onProblem: (error: unknown) => void
}

const answerTo = (error: unknown): AnswerFacts =>
  error instanceof ServiceError
    ? { code: error.code, message: error.message, hint: error.details['hint'] }
    : { code: 'internal', message: 'The server failed. Its log says why.' }

/** Handles the frames of one import, one after another. */
const serve = async ({ service, onProblem }: ReceiverOptions, socket: Duplex): Promise<void> => {
  const arrivals = createArrivals(service)
  const run = async ({ kind, facts, puts }: Frame): Promise<void> => {
    if (service.status() !== 'ok') throw new ServiceError(service.status() === 'stopping' ? 'shutting_down' : 'storage_unavailable')
    if (kind === 'begin') return arrivals.begin(String(facts['doc']))
    if (kind === 'records') return arrivals.records(puts)
    if (kind === 'end') return arrivals.end(facts['head'] as Head, puts)
    for (const { key, value } of puts) await arrivals.blob(String(key[0]), value)
  }
  socket.write(encodeAnswer({ ok: true, version: service.version }))
  for await (const frame of framesIn(socket)) {
    const answer = await run(decodeFrame(frame)).then(
      (): AnswerFacts => ({ ok: true }),
      (error: unknown) => {
        if (!(error instanceof ServiceError)) onProblem(error)
        return answerTo(error)
      }
    )
    socket.write(encodeAnswer(answer))
  }
}

const busyMessage = 'Another import is running. Wait until it is complete, and run the command again.'

export interface Receiver {
  /** Receives an import from a connection. Refuses the connection if another import is running. */
  receive(socket: Duplex): void
  /** Ends the import that is running, if any. */
  end(): void
}

export const createReceiver = (options: ReceiverOptions): Receiver => {
  let busy: Duplex | undefined
  return {
    receive(socket) {
      socket.on('error', () => socket.destroy())
      if (busy !== undefined) {
        socket.end(encodeAnswer({ code: 'importing', message: busyMessage }))
        return
      }
      busy = socket
      socket.once('close', () => (busy = undefined))
      serve(options, socket).then(
        () => socket.end(),
        () => socket.destroy()
      )
    },
    end: () => void busy?.destroy()
  }
}
