/** Copies text to the clipboard, or says that the browser refused. */
import { t } from '../text/t.ts'
import { toast } from './toast.tsx'

/** Copies a text. Answers whether the browser did. */
export async function tryCopy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Says that the browser refused to copy. */
export const refusedCopy = (): void => toast(t('Your browser blocked copying. Select the text and copy it yourself.'))

/** Copies a text and says so; `what` it is, in the language of the page. Where the browser refuses, says that instead. */
export async function copyText(text: string, what: string): Promise<void> {
  if (await tryCopy(text)) toast(t('{what} copied', { what }))
  else refusedCopy()
}
