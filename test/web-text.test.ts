/** Small rules of the editor that need no browser. */
import { expect, test } from 'vitest'
import { cleanText } from '../web/clean-text.ts'
import { frameKind } from '../web/connection/durable-socket.ts'
import { countWords, firstHeading } from '../web/editor/count.ts'
import { refusalOfStatus } from '../web/refused/refusals.ts'
import { route } from '../web/route.ts'

test('[WEB-5] text on its way in has LF line ends, no NUL, no byte-order mark and no half of a surrogate pair', () => {
  expect(cleanText('a\r\nb\rc\nd')).toBe('a\nb\nc\nd')
  expect(cleanText('\uFEFFa\0b')).toBe('ab')
  expect(cleanText('x\uD83Dy 😀')).toBe('x\uFFFDy 😀')
})

test('[WEB-6] the title of a document is its first heading outside code, without marks', () => {
  expect(firstHeading('intro\n\n## The **plan** for [2027](https://x)'.split('\n'))).toBe('The plan for 2027')
  expect(firstHeading('```\n# not this\n```\n# This'.split('\n'))).toBe('This')
  expect(firstHeading(['no heading', '#hashtag'])).toBeUndefined()
})

test('[WEB-7] words are counted in every script', () => {
  expect(countWords('')).toBe(0)
  expect(countWords('It’s a well-known fact: 3 words')).toBe(6)
  expect(countWords('日本語')).toBe(3)
})

test('[WEB-8] an address leads to the home page, a new document, or one document', () => {
  expect(route('/')).toEqual({ page: 'home' })
  expect(route('/new')).toEqual({ page: 'new' })
  expect(route('/d/X7YVV5Ks2r34CATB')).toEqual({ page: 'document', id: 'X7YVV5Ks2r34CATB' })
  expect(route('/d/X7YVV5Ks2r34CATB.md')).toEqual({ page: 'unknown' })
})

test('[WEB-9] each refusal of the server has words of its own', () => {
  expect(refusalOfStatus(401, 'credential_required')).toBe('private')
  expect(refusalOfStatus(401, 'credential_invalid')).toBe('ended')
  expect([403, 404, 410, 429, 500, 503, 0].map((status) => refusalOfStatus(status, ''))).toEqual([
    'forbidden',
    'not_found',
    'deleted',
    'rate_limited',
    'server_error',
    'restarting',
    'never_opened'
  ])
})

test('[WEB-10] frames of the live protocol are told apart by type and subtype', () => {
  expect(frameKind(new Uint8Array([3, 97, 98, 99, 0, 2, 9]))).toEqual({ type: 0, detail: 2 })
  expect(frameKind(new Uint8Array([3, 97, 98, 99, 8, 1]))).toEqual({ type: 8, detail: 1 })
})
