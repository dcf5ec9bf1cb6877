/** Takes samples of the load for the administrators' page (server/domain/operator/load.ts). */
import { limits } from '../../shared/limits.ts'
import { type LoadSample, recordLoad } from '../domain/operator/load.ts'
import type { Service } from '../domain/service.ts'
import type { Readers, Sample } from './metrics.ts'

const first = (samples: readonly Sample[]): number => samples[0]?.[0] ?? 0

const ofKind = (samples: readonly Sample[], kind: string): number | null =>
  samples.find(([, labels]) => labels?.['kind'] === kind)?.[0] ?? null

/** Reads the current load. */
export const readLoad = async (readers: Readers): Promise<Omit<LoadSample, 'at'>> => {
  const bytes = await readers.storeBytes()
  return {
    people: first(await readers.people()),
    documents: first(await readers.documents()),
    storeBytes: ofKind(bytes, 'store'),
    assetBytes: ofKind(bytes, 'assets')
  }
}

/** Takes a sample now, and then every `limits.loadMinutes`. Returns a function that stops the sampling. */
export const sampleLoad = (service: Service, readers: Readers, onFailure: (error: unknown) => void): (() => void) => {
  let stopped = false
  let cancel = (): void => undefined
  const take = (): void => {
    void readLoad(readers)
      .then((sample) => (stopped ? undefined : recordLoad(service, sample)))
      // If the store has been closed since, it refuses the sample.
      .catch((error: unknown) => (stopped ? undefined : onFailure(error)))
      .then(() => {
        if (!stopped) cancel = service.clock.after(limits.loadMinutes * 60_000, take)
      })
  }
  take()
  return () => {
    stopped = true
    cancel()
  }
}
