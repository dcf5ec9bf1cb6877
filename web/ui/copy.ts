import { toast } from './toast.tsx'

/** Copies a text and says so; where the browser refuses, says that instead. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`)
  } catch {
    toast('The browser did not allow copying. Select the text and copy it by hand.')
  }
}
