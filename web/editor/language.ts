/** GitHub-flavored Markdown for CodeMirror, without the HTML, CSS and JavaScript grammars of the standard package. */
import { Language, LanguageSupport, defineLanguageFacet, languageDataProp, syntaxHighlighting } from '@codemirror/language'
import { tagHighlighter, tags } from '@lezer/highlight'
import { Autolink, Strikethrough, TaskList, parser } from '@lezer/markdown'
import { markSyntax } from './mark-syntax.ts'
import { mathSyntax } from './math-syntax.ts'
import { tableSyntax } from './table-syntax.ts'

const data = defineLanguageFacet({ commentTokens: { block: { open: '<!--', close: '-->' } } })

const markdownLanguage = new Language(
  data,
  parser.configure([
    tableSyntax,
    TaskList,
    Strikethrough,
    Autolink,
    mathSyntax,
    markSyntax,
    { props: [languageDataProp.add({ Document: data })] }
  ]),
  [],
  'markdown'
)

/** Parses Markdown exactly as the editor does. */
export const markdownParser = markdownLanguage.parser

/** Assigns CSS classes to the kinds of text, for `style/editor.css`. The live view and the source share them. */
export const highlighter = tagHighlighter([
  { tag: tags.heading, class: 'tok-heading' },
  { tag: tags.strong, class: 'tok-strong' },
  { tag: tags.emphasis, class: 'tok-emphasis' },
  { tag: tags.strikethrough, class: 'tok-strike' },
  { tag: tags.monospace, class: 'tok-code' },
  { tag: tags.link, class: 'tok-link' },
  { tag: tags.url, class: 'tok-url' },
  { tag: tags.labelName, class: 'tok-label' },
  { tag: tags.processingInstruction, class: 'tok-mark' },
  { tag: tags.contentSeparator, class: 'tok-mark' },
  { tag: tags.escape, class: 'tok-mark' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.tagName, tags.angleBracket, tags.attributeName, tags.attributeValue], class: 'tok-html' }
])

export const markdown = (): LanguageSupport => new LanguageSupport(markdownLanguage, [syntaxHighlighting(highlighter)])
