/** Copies text to the clipboard, and shows a message if the browser refuses it. */
import { t } from '../text/t.ts'
import { toast } from './toast.tsx'

/** Copies text. Resolves to true if the browser allowed it. */
export async function tryCopy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Tells the person that the browser refused to copy. */
export const refusedCopy = (): void => toast(t('Your browser blocked copying. Select the text and copy it yourself.'))

/** Copies text and tells the person whether it worked. `what` names the copied content in the page's language. */
export async function copyText(text: string, what: string): Promise<void> {
  if (await tryCopy(text)) toast(t('{what} copied', { what }))
  else refusedCopy()
}
