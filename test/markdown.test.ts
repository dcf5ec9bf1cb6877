import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOwnLink } from '../shared/markdown/links.ts'
import { createPageRenderer } from '../shared/markdown/page-renderer.ts'
import { createRenderer } from '../shared/markdown/render.ts'
import { typography } from '../shared/markdown/typography.ts'
import { titleIn } from '../shared/names.ts'

interface Example {
  readonly number: number
  readonly markdown: string
  readonly html: string
}

const { tests } = createRequire(import.meta.url)('commonmark-spec') as { tests: Example[] }
const commonmark = tests.map((one) => ({ ...one, markdown: one.markdown.replaceAll('→', '\t'), html: one.html.replaceAll('→', '\t') }))
const { render } = createRenderer()

/** Removes what this project adds to every heading, link and image, and adjusts the whitespace between blocks to that of the examples. */
const bare = (html: string): string =>
  html
    .replaceAll(/<a class="anchor"[^>]*>#<\/a>/g, '')
    .replaceAll(/(<h[1-6]) id="[^"]*"/g, '$1')
    .replaceAll(/ rel="noopener nofollow ugc"| loading="lazy" referrerpolicy="no-referrer"| tabindex="0"/g, '')
    .replaceAll(
      /<div class="table" role="region" aria-label="Table">|<\/div>|(?<=<table) dir="auto"| class="tasks?"| aria-label="[^"]*"/g,
      ''
    )
    .replaceAll(/ (?:class|align)="(left|right|center)"/g, ' $1')
    .replaceAll(/<input (?:checked="" )?disabled="" type="checkbox"> ?/g, (box) => (box.includes('checked') ? '[x]' : '[ ]'))
    .replaceAll(/<input type="checkbox" disabled( checked)?> ?/g, (_, checked) => (checked === undefined ? '[ ]' : '[x]'))
    .replaceAll(/<(img|hr|br|input)([^>]*?)\s*\/?>/g, '<$1$2>')
    .replaceAll(/\s*(<\/?(?:blockquote|ul|ol|li|p|pre|table|thead|tbody|tr|th|td|h[1-6])\b)/g, '$1')
    .trim()

/** Renders Markdown as the specifications do: they join the lines of a paragraph. */
const asSpecified = (markdown: string): string => bare(render(`---\nbreaks: false\n---\n${markdown}`).html)

const differing = (examples: readonly Example[]): number[] =>
  examples.filter(({ markdown, html }) => asSpecified(markdown) !== bare(html)).map(({ number }) => number)

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Examples that differ from the specification, by rule: number → reason. Everything else matches the specification. */
const explained: Readonly<Record<string, readonly number[]>> = {
  'raw HTML is text, or, as a comment, not shown': [
    21,
    31,
    201,
    308,
    309,
    344,
    475,
    476,
    477,
    491,
    494,
    524,
    536,
    642,
    643,
    ...from(148, 191),
    613,
    614,
    615,
    616,
    617,
    623,
    625,
    626,
    627,
    628,
    629,
    630,
    631
  ],
  'a link has one of the schemes that we know': [598, 599, 601],
  'bare addresses are links (GFM 6.9)': [602, 608, 611, 612]
}

test('[MARKDOWN-1] the 652 examples of CommonMark 0.31.2 render as the specification says, except those listed here', () => {
  expect(commonmark.length).toBe(652)
  const expected = Object.values(explained).flat()
  const found = differing(commonmark)
  expect(found.filter((number) => !expected.includes(number))).toEqual([])
  console.log(`CommonMark: ${652 - found.length} of 652 as specified; others by rule: ${JSON.stringify(explained)}`)
})

test('[MARKDOWN-2] no example of CommonMark lets its own tags through', () => {
  const allowed =
    /^(a|abbr|audio|blockquote|br|cite|code|del|details|div|em|h[1-6]|hr|img|input|ins|kbd|li|mark|ol|p|pre|q|s|samp|section|small|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var|video)$/
  for (const { markdown } of commonmark) {
    const tags = [...render(markdown).html.matchAll(/<\/?([a-zA-Z][^\s>/]*)/g)].map(([, name = '']) => name)
    expect(tags.filter((name) => !allowed.test(name))).toEqual([])
  }
})

/** The GFM specification may be next to the project. Without it, only the examples below run. */
const gfmPath = join(import.meta.dirname, '..', '..', 'shared', 'data', 'gfm-spec.txt')

const gfm = (): (Example & { readonly extension: string })[] => {
  const text = existsSync(gfmPath) ? readFileSync(gfmPath, 'utf8') : ''
  return [...text.matchAll(/^`{32} example ?(\w*)\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$/gm)].map(
    ([, extension = '', markdown = '', html = ''], index) => ({
      number: index + 1,
      extension,
      markdown: markdown.replaceAll('→', '\t'),
      html: html.replaceAll('→', '\t')
    })
  )
}

/** Example numbers of the GFM 0.29 specification that are excluded. CommonMark has changed some of them, and the rules above apply to the others. */
const explainedGfm: Readonly<Record<string, readonly number[]>> = {
  'raw HTML is text': [
    ...from(118, 160),
    170,
    288,
    289,
    327,
    354,
    484,
    485,
    486,
    500,
    503,
    532,
    544,
    632,
    633,
    634,
    635,
    636,
    642,
    644,
    645,
    646,
    647,
    648,
    649,
    650,
    651,
    653,
    663,
    664
  ],
  'CommonMark has changed since': [317],
  'a link has one of the schemes that we know': [606, 607, 609],
  'bare addresses end where linkify-it says; one in angle brackets with a space stays one': [610, 616, 619, 620, 625, 626],
  'an address of mail needs a known top-level domain': [629, 630, 631]
}

test('[WRITE-265] a callout without a title is named in the language of the reader; a title of its own stays', () => {
  const { render: german } = createRenderer({ words: (english) => (english === 'Warning' ? 'Warnung' : english) })
  expect(german('> [!WARNING]\n> body').html).toContain('<p class="callout-title callout-kind">Warnung</p>')
  expect(german('> [!WARNING] Warning\n> body').html).toContain('<p class="callout-title">Warning</p>')
})

test('[MARKDOWN-3] the examples of GFM render as its specification says, except those listed here', () => {
  const expected = Object.values(explainedGfm).flat()
  expect(differing(gfm()).filter((number) => !expected.includes(number))).toEqual([])
})

test('[MARKDOWN-4] callouts, folded text, comments, math and a few inline tags are rendered; an unmatched tag is text', () => {
  expect(render('> [!WARNING] Mind *this*\n> body').html).toBe(
    '<div class="callout callout-warning" role="note">\n<p class="callout-title">Mind <em>this</em></p>\n<p>body</p>\n</div>\n'
  )
  expect(render('> [!note]').html).toContain('<p class="callout-title callout-kind">Note</p>')
  expect(render('<details>\n<summary>More</summary>\n\n- inside\n\n</details>').html).toBe(
    '<details>\n<summary>More</summary>\n<ul>\n<li>inside</li>\n</ul>\n</details>\n'
  )
  expect(render('<details>\n\nnever closed').html).toContain('&lt;details&gt;')
  expect(render('one <!-- two --> three\n\n<!-- four\n\nfive -->\n\nsix').html).toBe('<p>one  three</p>\n<p>six</p>\n')
  expect(render('$5 and $6, $a^2$').html).toBe('<p>$5 and $6, <code class="math">a^2</code></p>\n')
  expect(render('$$\na+b\n$$').html).toBe('<pre class="math" tabindex="0"><code>a+b</code></pre>\n')
  expect(createRenderer({ math: (tex, display) => `<math>${tex}${display}</math>` }).render('```math\na+b\n```').html).toBe(
    '<div class="math" tabindex="0"><math>a+btrue</math></div>\n'
  )
  expect(render('H<sub>2</sub>O <kbd>x *y</kbd>*').html).toBe('<p>H<sub>2</sub>O &lt;kbd&gt;x <em>y&lt;/kbd&gt;</em></p>\n')
})

test('[MARKDOWN-12] highlights, subscript and superscript are rendered; text that only resembles them stays text', () => {
  expect(render('a ==b *c* `d`== e').html).toBe('<p>a <mark>b <em>c</em> <code>d</code></mark> e</p>\n')
  expect(render('H~2~O, x^2^, (a)^b^').html).toBe('<p>H<sub>2</sub>O, x<sup>2</sup>, (a)<sup>b</sup></p>\n')
  for (const text of [
    'a == b and c == d',
    '==a ==',
    '===a===',
    'a ==b\n\nc==',
    '==a `b== c`',
    'a ~b~ c',
    'a~b c~d',
    '2^n and 2^m',
    'a^b c^',
    '`==a==` and `H~2~O`'
  ])
    expect(render(text).html, text).not.toMatch(/<(?:mark|sub|sup)/)
  expect(render('~~gone~~ and a~~b~~').html).toBe('<p><del>gone</del> and a<del>b</del></p>\n')
})

test('[MARKDOWN-13] published pages show emoji and dashes for their names and hyphens, never in code or addresses', () => {
  const published = createPageRenderer(
    { highlighter: () => undefined, formulaSetter: () => undefined, components: () => undefined },
    () => false,
    typography
  )
  const shown = (text: string): string => published.render(text).html
  expect(shown('Good :tada: -- 1--2, yes---no')).toBe('<p>Good 🎉 – 1–2, yes—no</p>\n')
  expect(shown('`:tada: --` 10:30:45 :nothing: --help')).toBe('<p><code>:tada: --</code> 10:30:45 :nothing: --help</p>\n')
  expect(shown('https://a.example/x--y')).toContain('>https://a.example/x--y</a>')
  expect(published.render('# One -- two :tada:').headings).toEqual(createRenderer().render('# One -- two :tada:').headings)
  expect(createRenderer().render('a -- :tada:').html).toBe('<p>a -- :tada:</p>\n')
})

test('[MARKDOWN-15] a line break within a paragraph stays one, unless the front matter says breaks: false', () => {
  expect(render('one\ntwo *three\nfour*').html).toBe('<p>one<br>\ntwo <em>three<br>\nfour</em></p>\n')
  expect(render('- [ ] a\n  b\n\n> c\n> d').html.match(/<br>/g)).toHaveLength(2)
  // Explicit breaks are not doubled, code and formulas keep their lines, and cells and list items get no breaks.
  for (const text of ['a<br>\nb', 'a\\\nb', 'a  \nb']) expect(render(text).html.match(/<br>/g)).toHaveLength(1)
  for (const text of ['```\na\nb\n```', '$$\na\n$$', '- a\n- b', '| a |\n|---|\n| b |', '<!--\na\n-->'])
    expect(render(text).html).not.toContain('<br>')
  const joined = '<p>one\ntwo</p>\n'
  for (const value of ['false', ' False # wrapped by a program', '"false"'])
    expect(render(`---\ntitle: a\nbreaks: ${value}\n---\none\ntwo`).html).toBe(joined)
  for (const text of ['---\nbreaks: true\n---\none\ntwo', 'breaks: false\n\none\ntwo']) expect(render(text).html).toContain('one<br>\ntwo')
  // Headings, the description and the lines of blocks refer to the source text.
  const { headings, description, blocks } = render('one\ntwo\n\na\nb\n===')
  expect({ headings, description, blocks }).toEqual({
    headings: [{ level: 1, text: 'a b', id: 'a-b' }],
    description: 'one two',
    blocks: [
      [0, 2],
      [3, 6]
    ]
  })
})

test('[MARKDOWN-14] a picture has the width after its alt text, and its title as a caption if it is alone', () => {
  const page = createPageRenderer(
    { highlighter: () => undefined, formulaSetter: () => undefined, components: () => undefined },
    () => false
  )
  const shown = (text: string): string => page.render(text).html
  expect(shown('![A *cat*|300](/f/a.png "Tom & Co")')).toBe(
    '<figure class="picture"><img src="/f/a.png" alt="A cat" width="300" loading="lazy" referrerpolicy="no-referrer"><figcaption>Tom &amp; Co</figcaption></figure>\n'
  )
  expect(shown('see ![a|300x200](/f/a.png "t")')).toContain('<p>see <img src="/f/a.png" alt="a" title="t" width="300"')
  for (const words of ['a|b', 'a|5', 'a|99999', 'a 300', '300'])
    expect(shown(`![${words}](/f/a.png)`), words).toContain(`<p><img src="/f/a.png" alt="${words}" loading`)
  expect(createRenderer().render('![a](/x "t")').html).toContain('<p><img src="/x" alt="a" title="t"')
})

test('[MARKDOWN-10] front matter at the top of the text is not shown and gives no heading; text may begin with a rule', () => {
  const settings = '---\ntitle: A\n# a note\ntags: [b]\n---\n'
  const { html, headings } = render(`${settings}# Real\n`)
  expect(headings.map(({ text }) => text)).toEqual(['Real'])
  expect(html).not.toMatch(/title|<hr/)
  expect(titleIn(`${settings}# Real \\*one\\*[^1]\n`).heading).toBe('Real *one*')
  expect(render('- a\n\n---\nb: c\n---\n').html).toContain('<hr>')
  for (const text of ['---\nsome words\n---\n', '---\n\n---\n', '---\nopen: never closed\n']) expect(render(text).html).toContain('<hr>')
})

test('[MARKDOWN-6] a link that only resembles ours leaves the page', () => {
  expect(isOwnLink('/d/x', 'https://own.example')).toBe(true)
  expect(isOwnLink('https://own.example/d/x', 'https://own.example')).toBe(true)
  for (const href of ['//evil.example', '/\\evil.example', 'https://own.example.evil/', 'x'])
    expect(isOwnLink(href, 'https://own.example')).toBe(false)
})

test('[MARKDOWN-8] styles of formulas become classes with rules of their own; anything that could escape a rule is dropped', () => {
  const styled = createRenderer({ math: (tex) => `<math class="a" style="${tex}"><mi style="${tex}">x</mi></math>` })
  const good = styled.render('$color:#ff0000;$ $padding:1em;$')
  expect(good.html).toBe(
    '<p><math class="a math-1"><mi class="math-1">x</mi></math> <math class="a math-2"><mi class="math-2">x</mi></math></p>\n'
  )
  expect(good.css).toBe('.math-1{color:#ff0000;}.math-2{padding:1em;}')
  for (const bad of ['x}*{color:red', 'background:url(x)', 'a:</style>', '@import x'])
    expect(styled.render(`$${bad}$`)).toMatchObject({ css: '', html: expect.not.stringContaining(' style=') })
})

test('[MARKDOWN-5] headings have unique ids; the description is the first paragraph as plain text', () => {
  const { headings, description } = render('# Über *uns*\n\n## Same\n\n## Same\n\n## Same-1\n\n## 🎉\n\nFirst `code` and **bold**.\n')
  expect(headings.map(({ id }) => id)).toEqual(['über-uns', 'same', 'same-1', 'same-1-1', 'section'])
  expect(description).toBe('First code and bold.')
  expect(render('<kbd>Ctrl</kbd> for x<sub>2</sub>[^1],\n$y$.\n\n[^1]: note').description).toBe('Ctrl for x2, y.')
  // No heading can have the id of a footnote or of an element of the page.
  const { html } = render('# note:1\n\n## note-1\n\nx[^1] y[^1]\n\n[^1]: z')
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
  expect(ids).toEqual(['note1', 'note-1', 'note:1-ref', 'note:1-ref-2', 'note:1'])
  expect([...html.matchAll(/ href="#([^"]*)"/g)].every(([, id]) => ids.includes(id))).toBe(true)
  expect(html.match(/aria-label="Back to reference[^"]*"/g)).toEqual([
    'aria-label="Back to reference 1"',
    'aria-label="Back to reference 1, place 2"'
  ])
  expect(
    createRenderer({ idPrefix: 'p-' })
      .render('# A[^1]\n\n[^1]: b')
      .html.match(/ id="(?!p-)/g)
  ).toBeNull()
})

test('[MARKDOWN-6] links that could run code are text', () => {
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\\tscript:x',
    '&#106;avascript:x',
    'vbscript:x',
    'data:text/html,x',
    'data:image/svg+xml,x',
    'blob:x',
    'file:///etc/passwd'
  ])
    for (const source of [`[a](${url})`, `![a](${url})`, `<${url}>`, `[a]\n\n[a]: ${url}`])
      for (const [, to = ''] of render(source).html.matchAll(/(?:href|src)="([^"]*)"/g))
        expect(new URL(to, 'https://own.example').protocol).toBe('https:')
})

test('[MARKDOWN-7] hostile text renders in bounded time', () => {
  const hostile = [
    '['.repeat(50_000),
    '*a **b '.repeat(20_000),
    '`'.repeat(60_000),
    '> '.repeat(20_000),
    '$a '.repeat(30_000),
    '<!--'.repeat(20_000),
    '<details>\n'.repeat(10_000),
    `${'<details>\n'.repeat(300)}${'</details>\n'.repeat(300)}`,
    '[^1]'.repeat(10_000),
    '![['.repeat(20_000),
    '- '.repeat(5000),
    '<kbd>'.repeat(20_000),
    '$$\n'.repeat(15_001),
    '> [!NOTE]\n'.repeat(5000),
    '> [!NOTE]\n> a\n\n'.repeat(8000),
    '- [ ] a\n'.repeat(20_000),
    '# a\n\n'.repeat(15_000),
    'a\n-\n'.repeat(15_000),
    'www.'.repeat(50_000),
    'http://a.b/((((('.repeat(15_000)
  ]
  // A rule that rereads the text at each mark would take minutes here, so the time limit of the test is the bound.
  for (const text of hostile) expect(render(text).html).not.toBe('')
})

test('[MARKDOWN-7] one long address with many references does not turn a small document into a huge page', () => {
  const address = `/${'x'.repeat(10_000)}`
  const { html } = render(`[a]: ${address}\n\n${'[a] ![a] '.repeat(10_000)}`)
  expect(html.length).toBeLessThan(5_000_000)
  expect(html).toContain(`<a href="${address}"`)
  const few = render(`[a]: ${address}\n\n${'[a] '.repeat(9)}`).html
  expect(few.split(address).length - 1).toBe(9)
})

test('[MARKDOWN-7] code whose highlighting could take hours is shown without colors', () => {
  const coloured: string[] = []
  const highlighter = {
    getLanguage: (name: string) => ({ name: name === 'c' ? 'C' : name }),
    highlight(code: string) {
      coloured.push(code)
      return { value: '' }
    }
  }
  const page = createPageRenderer(
    { highlighter: () => highlighter, formulaSetter: () => undefined, components: () => undefined },
    () => true
  )
  const shown = (language: string, code: string): boolean =>
    page.render(`\`\`\`${language}\n${code}\n\`\`\``).html.includes('language-') && coloured.splice(0).length > 0
  const declaration = `static const unsigned long long int *const function_name(${'int argument, '.repeat(30)}int last);`
  expect(shown('c', `${declaration}\n// a comment of some words, as they are`)).toBe(true)
  expect(shown('c', 'a '.repeat(100))).toBe(false)
  expect(shown('c', '_a'.repeat(200))).toBe(false)
  expect(shown('python', 'a '.repeat(100))).toBe(true)
  expect(shown('markdown', '[a]('.repeat(300))).toBe(false)
  expect(shown('python', 'x = 1\n'.repeat(10_000))).toBe(false)
})

test('[MARKDOWN-9] each task box has the source position of its letter, wherever the list is', () => {
  const source = [
    '# Plan',
    '- [ ] one  ',
    '  - [x] two',
    '    continued',
    '',
    '> 1. [X] three [ ] not a box',
    '> \t- [ ] four',
    '',
    'Said[^1]',
    '',
    '[^1]: note',
    '    - [>] five',
    '',
    '<details>',
    '',
    '- - [ ] six',
    '',
    '</details>',
    '',
    '- [ ] [ ] seven',
    '',
    '```',
    '- [ ] code',
    '```',
    '> [!NOTE]',
    '> - [x] eight'
  ].join('\n')
  const { html, tasks } = render(source)
  const boxes = [...html.matchAll(/<input type="checkbox"[^>]*> ?(\w+|\[ \] \w+)/g)].map(([, words]) => words)
  expect(boxes).toEqual(['one', 'two', 'three', 'four', 'six', '[ ] seven', 'eight', 'five'])
  expect(tasks.map((letter) => source.slice((letter ?? 0) - 1, (letter ?? 0) + 6))).toEqual([
    '[ ] one',
    '[x] two',
    '[X] thr',
    '[ ] fou',
    '[ ] six',
    '[ ] [ ]',
    '[x] eig',
    '[>] fiv'
  ])
})

test('[MARKDOWN-11] the source lines of each block are recorded for any text', () => {
  /** Returns the number of top-level elements in well-formed HTML. */
  const topElements = (html: string): number => {
    let [count, depth] = [0, 0]
    for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (end === '' && depth === 0) count += 1
      if (!['br', 'hr', 'img', 'input'].includes(name)) depth += end === '' ? 1 : -1
    }
    return count
  }
  const note = 'One[^1]\n\n[^1]: note\n'
  const sources = [
    '---\na: b\n---\n\n# A\n\n<!-- c -->\n\n> [!NOTE]\n> b\n\n$$\nx\n$$\n\n<details>\n<summary>s</summary>\n\nb\n\n</details>\n\n| a |\n| - |\n| b |\n',
    note,
    ...commonmark.map(({ markdown }) => markdown)
  ]
  for (const source of sources) {
    const { html, blocks } = render(source)
    expect(blocks.length, source).toBe(topElements(html))
    const lines = blocks.flatMap((block) => block ?? [])
    expect(lines.toSorted((one, other) => one - other)).toEqual(lines)
  }
  expect(render(sources[0] ?? '').blocks).toEqual([
    [4, 5],
    [8, 10],
    [11, 14],
    [15, 21],
    [22, 25]
  ])
  expect(render(note).blocks).toEqual([[0, 1], undefined])
})

test('[GRID-86] the columns of a table run as its text does', () => {
  expect(render('| שם | b |\n| - | - |\n| c | d |').html).toContain('<table dir="auto">')
})
