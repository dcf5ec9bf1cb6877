/** What a first visit loads. */
import { expect, test } from 'vitest'
import { sizes } from '../../scripts/size.ts'

test('[WEB-32] what a first visit loads stays within its budget: the editor 215 KB of JavaScript, gzipped', () => {
  const all = sizes()
  expect(all.find(({ name }) => name.startsWith('editor'))?.kilobytesMax).toBe(215)
  expect(all.filter(({ kilobytes, kilobytesMax }) => kilobytes > kilobytesMax)).toEqual([])
})
