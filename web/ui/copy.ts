import { t } from '../text/t.ts'
import { toast } from './toast.tsx'

/** Copies a text and says `said`; where the browser refuses, says that instead. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(said)
  } catch {
    toast(t('The browser did not allow copying. Select the text and copy it by hand.'))
  }
}
