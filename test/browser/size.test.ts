/** The number of bytes that a first visit loads. */
import { expect, test } from 'vitest'
import { sizes } from '../../scripts/size.ts'

test('[WEB-32] a visit stays within its budget: the editor 215 KB of gzipped JavaScript; heavy parts load later, each with its own budget', () => {
  const all = sizes()
  expect(all.find(({ name }) => name.startsWith('editor'))?.kilobytesMax).toBe(215)
  expect(all.filter(({ kilobytes, kilobytesMax }) => kilobytes > kilobytesMax)).toEqual([])
})
