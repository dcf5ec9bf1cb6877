/** Helpers for markdown-it tokens. */
import type MarkdownIt from 'markdown-it'

/** A markdown-it token. */
export type Token = ReturnType<MarkdownIt['parse']>[number]
