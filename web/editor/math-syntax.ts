/** Adds formulas to the syntax tree. It follows the rules of shared/markdown/math.ts. A formula block contains no blank line. */
import type { LeafBlockParser, MarkdownConfig } from '@lezer/markdown'
import { closingMark } from '../../shared/markdown/math.ts'

const dollar = 36

/** Whether a formula, including its marks, is on a single line. */
const isOneLine = (content: string): boolean => {
  const text = content.includes('\n') ? '' : content.trimEnd()
  return text.length > 4 && text.startsWith('$$') && text.endsWith('$$')
}

const mathBlock: LeafBlockParser = {
  nextLine(cx, line, leaf) {
    if ((isOneLine(leaf.content) && leaf.content.slice(2).trim() !== '$$') || !/\$\$\s*$/.test(line.text)) return false
    cx.nextLine()
    cx.addLeafElement(leaf, cx.elt('BlockMath', leaf.start, cx.prevLineEnd()))
    return true
  },
  finish(cx, leaf) {
    if (!isOneLine(leaf.content)) return false
    cx.addLeafElement(leaf, cx.elt('BlockMath', leaf.start, leaf.start + leaf.content.length))
    return true
  }
}

export const mathSyntax: MarkdownConfig = {
  defineNodes: [{ name: 'BlockMath', block: true }, 'InlineMath'],
  parseBlock: [{ name: 'BlockMath', leaf: (_cx, leaf) => (leaf.content.startsWith('$$') ? mathBlock : null) }],
  parseInline: [
    {
      name: 'InlineMath',
      before: 'Emphasis',
      parse(cx, next, pos) {
        if (next !== dollar) return -1
        const end = closingMark(cx.text, pos - cx.offset + 1, cx.text.length)
        return end === undefined ? -1 : cx.addElement(cx.elt('InlineMath', pos, cx.offset + end + 1))
      }
    }
  ]
}
