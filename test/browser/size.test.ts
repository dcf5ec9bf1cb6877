/** The bytes that a first visit loads. */
import { expect, test } from 'vitest'
import { sizes } from '../../scripts/size.ts'

test('[WEB-32] what a visit loads stays within its budget: the editor 215 KB of JavaScript, gzipped; what is heavy comes later, in parts of its own', () => {
  const all = sizes()
  expect(all.find(({ name }) => name.startsWith('editor'))?.kilobytesMax).toBe(215)
  expect(all.filter(({ kilobytes, kilobytesMax }) => kilobytes > kilobytesMax)).toEqual([])
})
