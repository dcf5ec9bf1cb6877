import type MarkdownIt from 'markdown-it'

/** A token of markdown-it. */
export type Token = ReturnType<MarkdownIt['parse']>[number]
