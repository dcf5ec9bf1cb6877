/** The parts of media jobs in the editor that need no browser. */
import { expect, test } from 'vitest'
import { readWav } from '../cli/node/wav.ts'
import { wavSeconds, writeWav } from '../shared/wav.ts'
import { picturesIn } from '../web/media/picture.ts'
import { spokenWords } from '../web/media/spoken.ts'
import { clock, voiceName, withTimes } from '../web/media/tell.ts'

test.each([
  ['A **bold** _word_, ~~gone~~ and `code`.', 'A bold word, gone and code.'],
  ['# Title\n\nText', 'Title\n\nText'],
  ['- one\n- [x] two\n  1. three', 'one\ntwo\nthree'],
  ['> quoted\n> twice', 'quoted\ntwice'],
  ['See [the notes](https://example.org/a "title") and ![a boat](/f/x.png).', 'See the notes and a boat.'],
  ['5 \\* 3 is 15', '5 * 3 is 15'],
  ['| a | b |\n| - | - |\n| 1 | 2 |', 'a b\n\n1 2'],
  ['Straße, 学校, 🙂', 'Straße, 学校, 🙂'],
  ['', '']
])('[MEDIA-42] %j is read aloud as %j', (markdown, words) => {
  expect(spokenWords(markdown)).toBe(words)
})

test('[MEDIA-42] a written WAV is read back unchanged, and loud sound is clipped', () => {
  const samples = Float32Array.from([0, 0.5, -0.5, 1, -1, 2, -2])
  const file = writeWav(samples)
  expect(wavSeconds(file.length)).toBeCloseTo(7 / 16_000)
  const read = readWav(Buffer.from(file))
  expect(read).toMatchObject({ rate: 16_000, channels: 1 })
  expect([...(read?.samples ?? [])].map((sample) => Math.round(sample * 100) / 100)).toEqual([0, 0.5, -0.5, 1, -1, 1, -1])
})

test('[MEDIA-36] stored pictures of the document are offered, each once, the nearest first', () => {
  const text = '![far](/f/a-1.png)\n\n![](https://example.org/x.png) ![near](/f/b_2.webp) ![near](/f/b_2.webp) ![sound](/f/c.wav)'
  expect(picturesIn(text, text.length)).toEqual([
    { url: '/f/b_2.webp', words: 'near' },
    { url: '/f/a-1.png', words: 'far' }
  ])
})

test('[MEDIA-50] voices named as languages are described in words, others by their names', () => {
  expect(['de', 'en-us', 'slt', 'kal', 'alloy', 'en-us-nyc', 'zz-!'].map(voiceName)).toEqual([
    'German (de)',
    'American English (en-us)',
    'slt',
    'kal',
    'alloy',
    expect.stringContaining('en-us-nyc'),
    'zz-!'
  ])
})

test('[MEDIA-51] each part follows the time at which it begins', () => {
  expect([0, 7.9, 59.99, 61, 3725].map(clock)).toEqual(['0:00', '0:07', '0:59', '1:01', '1:02:05'])
  const segments = [
    { start: 0.2, end: 1, text: 'one ' },
    { start: 61, end: 62, text: 'two' }
  ]
  expect(withTimes(segments)).toBe('0:00 one\n\n1:01 two')
})
