/** Rules of components that need no page. */
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import { withOwnIds } from '../shared/components/own-ids.ts'
import { whenUndone } from '../web/components/notices.ts'
import { fenceIn } from './support/components.ts'

test('[COMP-71] a change is taken back once its component reads as before, empty lines aside', () => {
  const fenceOf = (...lines: readonly string[]) => fenceIn('board', ...lines)
  const before = fenceOf('## A', '- [ ] one', '- [ ] two')
  const fence = signal(before)
  let undone = 0
  const stop = whenUndone(fence, before, () => (undone += 1))
  // Nothing was changed yet, where it shows a moment later.
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] two')
  fence.value = fenceOf('## A', '- [ ] two')
  expect(undone).toBe(0)
  fence.value = fenceOf('## A', '', '- [ ] one', '- [ ] two')
  expect(undone).toBe(1)
  stop()
})

test.each([
  ['```board #launch\n```', ['launch'], '```board #launch-2\n```'],
  ['```board #launch-2\n```', ['launch', 'launch-2'], '```board #launch-3\n```'],
  ['```sheet title="see #s here" #s\n| #s |\n```', ['s'], '```sheet title="see #s here" #s-2\n| #s |\n```'],
  ['```sheet #a\n```\n\n```sheet #b\n```', ['a', 'b', 'a-2'], '```sheet #a-3\n```\n\n```sheet #b-2\n```'],
  ['```board\n```', ['board'], '```board\n```'],
  ['Text #launch', ['launch'], 'Text #launch']
])('[COMP-72] %j in a document with %j', (text, ids, wanted) => {
  expect(withOwnIds(text, ids.map((id) => `\`\`\`board #${id}\n\`\`\`\n`).join('\n'))).toBe(wanted)
})
