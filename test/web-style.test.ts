/** The style sheets of the pages. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '../web')

/** Returns the selectors of a style sheet that match under a pointer, except within a media query for devices that can hover. */
function hoverRules(sheet: string): string[] {
  const open: string[] = []
  const found: string[] = []
  for (const [, before = '', mark] of sheet.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]*)([{};])/g)) {
    const selector = before.trim()
    if (mark === '{') open.push(selector)
    if (mark === '{' && selector.includes(':hover') && !open.some((each) => each.includes('hover: hover'))) found.push(selector)
    if (mark === '}') open.pop()
  }
  return found
}

test('[WEB-105] only devices that can hover change the look of a control under the pointer', () => {
  expect(hoverRules('a { b: c }\n@media (hover: hover) { a:hover { b: d } }\nb:hover { b: e }')).toEqual(['b:hover'])
  const found = globSync('**/*.css', { cwd: web }).flatMap((name) => hoverRules(readFileSync(join(web, name), 'utf8')))
  // A tap on a heading shows its link.
  expect(found).toEqual([':hover > .anchor,\n.anchor:focus-visible'])
})
