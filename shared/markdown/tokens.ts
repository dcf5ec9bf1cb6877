/** Helpers for the tokens of markdown-it. */
import type MarkdownIt from 'markdown-it'

/** A token of markdown-it. */
export type Token = ReturnType<MarkdownIt['parse']>[number]
