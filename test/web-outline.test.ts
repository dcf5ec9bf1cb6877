/** Compares the outline of the text with its published page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import { createRenderer } from '../shared/markdown/render.ts'
import { headingsOf } from '../web/editor/headings.ts'

const own = `# One *two* \`three\`\n\n## Same\n\n### Same ###\n\n~~~\n# code\n~~~\n\nUnder\n=====\n\nLine\n---\n\n- item\n---\n\n| a |\n|---|\n\n#no\n\n## [A link](/x) & **more**\n\n\`\`\`\`md\n\`\`\`\n# no\n\`\`\`\`\n## \n`

test('[WRITE-15] the outline has the headings of the published page, with their ids', () => {
  const renderer = createRenderer()
  const samples = [
    own,
    `---\ntitle: Plan\n---\n\n${own}`,
    ...['sample.md', 'published.md'].map((name) => readFileSync(join(import.meta.dirname, 'browser', name), 'utf8'))
  ]
  for (const sample of samples) {
    const headings = headingsOf(Text.of(sample.split('\n')))
    expect(headings.map(({ level, id }) => ({ level, id }))).toEqual(
      renderer.render(sample).headings.map(({ level, id }) => ({ level, id }))
    )
    for (const { at } of headings) expect(at === 0 || sample[at - 1] === '\n').toBe(true)
  }
})
