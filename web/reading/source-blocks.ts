/** Connects the blocks of the reading view with their source. */
import type { Rendered } from '../../shared/markdown/render.ts'
import type { Range as Span } from '../../shared/text/targets.ts'
import { type Bare, bareOf } from './find-words.ts'

/** An element of the article, and the range of the source that it shows. */
export interface Block extends Span {
  readonly element: Element
}

/** Returns the elements of the article with their source ranges. Leaves out an element whose content comes from several parts of the source. */
export function blocksOf(article: Element, text: string, { blocks }: Rendered): Block[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length)
  const offset = (line: number): number => starts[line] ?? text.length
  const elements = [...article.children]
  if (elements.length !== blocks.length) return []
  return elements.flatMap((element, index) => {
    const lines = blocks[index]
    return lines === undefined ? [] : [{ element, from: offset(lines[0]), to: offset(lines[1]) }]
  })
}

/** The text of an element, and a function that finds ranges in it by offset. */
export interface ShownText {
  readonly bare: Bare
  range(span: Span): Range
}

/** Returns the text of an element as the page displays it. */
export function textOf(element: Element): ShownText {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: { readonly node: Text; readonly from: number }[] = []
  let text = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: text.length })
    text += (node as Text).data
  }
  return {
    bare: bareOf(text),
    range({ from, to }) {
      const range = document.createRange()
      const first = nodes.findLast((each) => each.from <= from)
      const last = nodes.findLast((each) => each.from < to)
      if (first !== undefined) range.setStart(first.node, from - first.from)
      if (last !== undefined) range.setEnd(last.node, to - last.from)
      return range
    }
  }
}

/** Yields the blocks that a range touches. */
export function* blocksAt(blocks: readonly Block[], { from, to }: Span): Generator<Block> {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle]?.to ?? 0) <= from) low = middle + 1
    else high = middle
  }
  for (let index = low; (blocks[index]?.from ?? to) < to; index++) yield blocks[index] as Block
}
