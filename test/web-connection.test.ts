/** Tests when the page retries a closed connection. */
import { expect, test } from 'vitest'
import { createRetries, type Retries } from '../web/connection/retry.ts'

const middle = (): number => 0.5

const waitOf = (retries: Retries, code: number, aliveMs = 100): number => {
  const next = retries.closed(code, aliveMs)
  if ('ended' in next) throw new Error(`ended: ${next.ended}`)
  return next.afterMs
}

test.each([[1001], [1005], [1006], [1011], [1013], [4408], [4429]])(
  '[WEB-34] after %i the waits grow to 30 s and start again once the connection is stable',
  (code) => {
    const retries = createRetries(middle)
    const waits = Array.from({ length: 12 }, () => waitOf(retries, code))
    expect(waits.slice(0, 4)).toEqual([500, 800, 1280, 2048])
    expect(waits.at(-1)).toBe(30_000)
    expect(retries.failures).toBe(12)
    retries.settled()
    expect(waitOf(retries, code)).toBe(500)
  }
)

test('[WEB-34] pages do not all reconnect at once', () => {
  expect(
    [0, 0.999].map((random) =>
      waitOf(
        createRetries(() => random),
        1001
      )
    )
  ).toEqual([375, 625])
})

test('[WEB-35] [OPERATOR-2] a permanent end is not retried', () => {
  const endOf = (code: number) => createRetries().closed(code, 100)
  expect([1009, 4401, 4403, 4404, 4410, 4413, 4451].map(endOf)).toEqual([
    { ended: 'too_big' },
    { ended: 'credential_ended' },
    { ended: 'forbidden' },
    { ended: 'deleted' },
    { ended: 'disabled' },
    { ended: 'full' },
    { ended: 'taken_down' }
  ])
})

test('[WEB-100] a refusal for size is not final while the page’s text fits', () => {
  const retries = createRetries(middle)
  expect([retries.closed(1009, 100, true), retries.closed(1009, 100, true)]).toEqual([{ afterMs: 500 }, { afterMs: 800 }])
  expect(retries.closed(1009, 100, false)).toEqual({ ended: 'too_big' })
  expect(retries.closed(4413, 100, true)).toEqual({ ended: 'full' })
})

test('[WEB-35] a refused message is final the third time, unless a minute passed well in between', () => {
  const retries = createRetries(middle)
  expect([waitOf(retries, 4400), waitOf(retries, 4400)]).toEqual([500, 800])
  retries.settled()
  expect(retries.closed(4400, 100)).toEqual({ ended: 'bad_message' })
  const calm = createRetries(middle)
  for (let count = 0; count < 10; count++) expect(waitOf(calm, 4400, 60_000)).toBe(500)
})
