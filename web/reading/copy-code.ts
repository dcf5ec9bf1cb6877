/** Adds a copy button to each code block. The button contains no text, because comments are located by the text of the page. */
import { drawIcon } from '../editor/draw-icon.ts'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { iconPath } from '../ui/icons.tsx'

export function copyButton(code: () => string): HTMLButtonElement {
  const words = t('Copy code')
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy-code', ariaLabel: words, title: words })
  button.append(drawIcon(iconPath('copy')))
  button.addEventListener('click', () => void copyText(code(), t('Code')))
  return button
}

/** Adds the button to a code block that has been rendered. */
export function addCopyButtons(block: ChildNode): void {
  if (!(block instanceof Element)) return
  for (const code of block.querySelectorAll('pre > code:not(figure *)')) code.before(copyButton(() => code.textContent.replace(/\n$/, '')))
}
