/** The names by which the block menu and the palette find a command. People know the blocks from Markdown and from English programs too. */
import { t } from '../text/t.ts'
import type { Command } from '../view/command.ts'

/**
 * Returns the names of a command, most important first: its title, its English title, other keywords, and the English keywords together with words
 * from its Markdown, such as `mermaid`. `translate` returns text in the page's language.
 */
export function namesOf({ title, words = '', typed = '' }: Pick<Command, 'title' | 'words' | 'typed'>, translate = t): readonly string[] {
  const markdown = typed.replaceAll(/[^\p{L}]+/gu, ' ').trim()
  return [translate(title), title, translate(words), `${words} ${markdown}`.trim()]
}
