/** Returns the file name for a title, without an extension. */
export const fileName = (title: string): string =>
  title
    .normalize('NFC')
    .replace(/[^\p{L}\p{N} ._-]+/gu, '')
    .trim()
    .slice(0, 80) || 'document'

/** Downloads a file. */
export function download(name: string, type: string, content: BlobPart): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Downloads text as a Markdown file. */
export const downloadMarkdown = (title: string, content: string): void => download(`${fileName(title)}.md`, 'text/markdown', content)

/** Downloads a complete page as an HTML file. */
export const downloadHtml = (title: string, content: string): void => download(`${fileName(title)}.html`, 'text/html', content)
