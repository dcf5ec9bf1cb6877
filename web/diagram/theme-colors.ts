/** The colors of diagrams on light and on dark pages, independent of this page's theme. */
import tokens from '../style/tokens.css?inline'
import { colorsOf } from './draw.ts'
import type { DiagramColors } from './protocol.ts'

const rules = {
  light: /:root\s*\{([^{}]*)\}/,
  dark: /:root\[data-theme=['"]?dark['"]?\]\s*\{([^{}]*)\}/
}

/** Returns the declarations of the colors, as written in the style sheet. */
export const coloursOf = (name: keyof typeof rules): string => rules[name].exec(tokens)?.[1] ?? ''

export function themeColors(name: keyof typeof rules): DiagramColors {
  const element = document.createElement('div')
  element.hidden = true
  element.style.cssText = coloursOf(name)
  document.body.append(element)
  const look = colorsOf(element)
  element.remove()
  return look
}
