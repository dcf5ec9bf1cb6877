/**
 * Size and caption of a picture: `![words|300](address "Caption")`. The width is in CSS pixels, in the syntax of Obsidian. A height after it
 * (`|300x200`) is ignored, because pictures keep their aspect ratio. Other programs show the picture at full size and the caption as a tooltip.
 */
import type MarkdownIt from 'markdown-it'

/** Smallest and largest width of a picture, in CSS pixels. */
export const [pictureWidthMin, pictureWidthMax] = [16, 2000]

// In a table, the bar has a backslash.
const sized = /\\?\|[ ]?(\d{1,4})(?:x\d{1,4})?[ ]?$/

/** Returns the description of a picture, and its width in CSS pixels if one is given. */
export const pictureWords = (written: string): { readonly words: string; readonly width: number | undefined } => {
  const found = sized.exec(written)
  const width = Number(found?.[1])
  if (found === null || width < pictureWidthMin || width > pictureWidthMax) return { words: written, width: undefined }
  return { words: written.slice(0, found.index).trimEnd(), width }
}

/** Turns a picture that is alone in its paragraph and has a title into a figure. The title becomes the caption. */
export const captions = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('captions', ({ tokens }) => {
    tokens.forEach((token, index) => {
      const [image, ...others] = token.children ?? []
      const [open, close] = [tokens[index - 1], tokens[index + 1]]
      const isAlone = image?.type === 'image' && others.length === 0 && open?.type === 'paragraph_open' && !open.hidden
      const title = isAlone ? image.attrGet('title') : null
      if (!isAlone || title === null || title.trim() === '' || close === undefined) return
      open.tag = close.tag = 'figure'
      open.attrSet('class', 'picture')
      image.attrs = image.attrs?.filter(([name]) => name !== 'title') ?? null
      image.meta = { caption: title }
    })
  })
  const inherited = markdown.renderer.rules['image']
  markdown.renderer.rules['image'] = (tokens, index, options, environment, self) => {
    const html = inherited?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options)
    const caption = (tokens[index]?.meta as { readonly caption?: string } | null | undefined)?.caption
    return caption === undefined ? html : `${html}<figcaption>${markdown.utils.escapeHtml(caption)}</figcaption>`
  }
}
