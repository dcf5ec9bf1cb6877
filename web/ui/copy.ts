import { t } from '../text/t.ts'
import { toast } from './toast.tsx'

/** Copies a text and says so; `what` it is, in the language of the page. Where the browser refuses, says that instead. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(t('{what} copied', { what }))
  } catch {
    toast(t('Your browser blocked copying. Select the text and copy it yourself.'))
  }
}
