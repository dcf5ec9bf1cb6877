/** A button on each block of code that copies it. It has no text of its own: places of comments are found by the text of the page. */
import { drawIcon } from '../editor/draw-icon.ts'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { iconPath } from '../ui/icons.tsx'

export function copyButton(code: () => string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy-code'
  button.setAttribute('aria-label', t('Copy code'))
  button.title = t('Copy code')
  button.append(drawIcon(iconPath('copy')))
  button.addEventListener('click', () => void copyText(code(), t('Code')))
  return button
}

/** Puts the button on the code of a rendered block. */
export function addCopyButtons(block: ChildNode): void {
  if (!(block instanceof Element)) return
  for (const code of block.querySelectorAll('code'))
    if (code.parentElement?.matches('pre') === true && code.closest('figure') === null)
      code.before(copyButton(() => code.textContent.replace(/\n$/, '')))
}
