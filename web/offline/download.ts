/** Hands a text to the person as a Markdown file. */
export function downloadMarkdown(title: string, content: string): void {
  const name =
    title
      .normalize('NFC')
      .replace(/[^\p{L}\p{N} ._-]+/gu, '')
      .trim()
      .slice(0, 80) || 'document'
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'text/markdown' }))
  link.download = `${name}.md`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
