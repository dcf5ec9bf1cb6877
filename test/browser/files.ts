/** Lets a test add files to a page. */
import type { Page } from 'playwright-core'

export interface Sent {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Adds files to the text by paste or drop. */
export const bring = (page: Page, how: 'paste' | 'drop', files: readonly Sent[], text = ''): Promise<void> =>
  page.locator('.cm-content').evaluate(
    (element, input) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of input.files) {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      if (input.text !== '') data.setData('text/plain', input.text)
      const box = element.getBoundingClientRect()
      const at = { clientX: box.left + 80, clientY: box.top + 50, bubbles: true, cancelable: true }
      element.dispatchEvent(
        input.how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, ...at })
      )
    },
    { how, text, files: files.map(({ name, type, bytes }) => ({ name, type, base64: Buffer.from(bytes).toString('base64') })) }
  )
