/** Reads the English of the repository, sentence by sentence: documents, rules, comments, and strings that people or programs read. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'

const root = join(import.meta.dirname, '../..')

/** A sentence and the file that contains it. */
export interface Sentence {
  readonly file: string
  readonly text: string
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Returns the sentences of a paragraph. A sentence ends with a period, question mark or exclamation mark before a capital letter. */
const sentencesOf = (file: string, paragraph: string): Sentence[] =>
  paragraph
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?][)*`"”]?) (?=[A-Z`*"“(])/)
    .filter((text) => text !== '')
    .map((text) => ({ file, text }))

/**
 * Returns the paragraphs of a Markdown text without its fenced blocks. Each list item, table cell and heading is a separate paragraph. The
 * ids of rules are removed.
 */
const paragraphsOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/^\|(.*)\|$/gm, (_line, cells: string) => `\n${cells.split(' | ').join('\n\n')}\n`)
    .replaceAll(/^ *(?:[-*]|\d+\.|#+) /gm, '\n\n')
    .replaceAll(/^\*\*[A-Z][A-Z0-9-]*-\d+\*\* /gm, '')
    .split(/\n{2,}/)

/** Returns the sentences of Markdown documents. */
export const sentencesOfPapers = (paths: readonly string[]): Sentence[] =>
  paths.flatMap((file) => paragraphsOf(read(file)).flatMap((paragraph) => sentencesOf(file, paragraph)))

const sourcesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: root })).toSorted()

/** Returns the sentences of comments that are on separate lines. */
export const sentencesOfComments = (folders: readonly string[]): Sentence[] =>
  sourcesIn(folders).flatMap((file) =>
    [...read(file).matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm)].flatMap(([comment]) =>
      sentencesOf(file, comment.replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ' '))
    )
  )

/** Returns the text of string literals and templates in a syntax tree (ESTree, with JSX). */
const stringsIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) return []
  const { type, value } = node as { type?: string; value?: unknown }
  if (type === 'Literal' || type === 'JSXText') return typeof value === 'string' ? [value] : []
  if (type === 'TemplateLiteral') {
    const { quasis, expressions } = node as { quasis: readonly { value: { cooked: string } }[]; expressions: readonly unknown[] }
    return [quasis.map((part) => part.value.cooked).join('…'), ...expressions.flatMap(stringsIn)]
  }
  return Object.values(node).flatMap(stringsIn)
}

/** Returns the sentences of strings with at least three words. */
export const sentencesOfStrings = (folders: readonly string[]): Sentence[] =>
  sourcesIn(folders)
    .filter((file) => !/\/(?:de|german)\.ts$/.test(file))
    .flatMap((file) =>
      stringsIn(parseAst(read(file), { lang: file.endsWith('.tsx') ? 'tsx' : 'ts' }))
        .filter((text) => text.trim().split(/\s+/).length >= 3)
        .flatMap((text) => text.split(/\n{2,}|\n(?=[-*#|])/).flatMap((paragraph) => sentencesOf(file, paragraph)))
    )
