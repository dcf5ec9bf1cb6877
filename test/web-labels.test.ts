/** The names of components. */
import { expect, test } from 'vitest'
import { documentSheets } from '../shared/fences/document-sheets.ts'
import { sheetHtml } from '../shared/fences/html.ts'
import { fencesOf, freeId } from '../shared/fences/fences.ts'
import { createRenderer } from '../shared/markdown/render.ts'
import { renderComponent } from '../shared/markdown/components.ts'
import { titleOfFence } from '../shared/fences/captions.ts'
import { labelOf } from '../web/components/labels.ts'

const sheet = (attributes = ''): string => `\`\`\`sheet${attributes}\n| A |\n| - |\n| 1 |\n\`\`\`\n`

test('[COMP-54] [COMP-170] a sheet is named by its title or id, in the editor also by a generated id, and never by a heading', () => {
  const text = [
    sheet(),
    sheet(' #sheet-2'),
    '## The **costs**\n',
    sheet(' title="Far away"'),
    '```sh\n# no heading\n```\n',
    sheet(),
    sheet(' #own'),
    '# More\n',
    sheet(' #more')
  ].join('\n')
  const all = fencesOf(text)
  expect(all.map((fence) => labelOf(fence, all))).toEqual([
    'Sheet',
    'Sheet 2 (#sheet-2)',
    'Sheet: Far away',
    'Sheet 3',
    'Sheet: own',
    'Sheet: more'
  ])
  const context = { sheets: documentSheets(all, 0), inline: (words: string) => words }
  const captions = all.map((fence) => /<figcaption>(.*?)<\/figcaption>/.exec(sheetHtml(fence, { ...context, line: fence.line }))?.[1])
  expect(captions).toEqual([undefined, undefined, 'Far away', undefined, 'own', undefined])
  // This is a complete page, which has front matter and reads each fence alone.
  const page = createRenderer({ fence: renderComponent }).render(`---\nby: me\n---\n\n## Tools\n\n${sheet(' #tools')}`).html
  expect(/<figcaption>(.*?)<\/figcaption>/.exec(page)?.[1]).toBeUndefined()
  const ids: string[] = []
  for (const fence of all) ids.push(freeId(ids, fence, titleOfFence(fence, all)))
  expect(ids).toEqual(['sheet', 'sheet-2', 'far-away', 'the-costs', 'the-costs-2', 'more'])
})
