/** Chooses readable colors for text on a color that the source of a diagram sets, such as `style A fill:#ff9`. */

/** Returns the relative luminance of `#rrggbb`, from 0 to 1 (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Returns the color that is easier to read on a fill. All colors are `#rrggbb`. */
export const inkOn = (fill: string, one: string, other: string): string => (contrast(fill, one) >= contrast(fill, other) ? one : other)

/** Returns the value of a property in a style attribute, without `!important`. */
const valueIn = (element: Element, name: string): string | undefined =>
  (element.getAttribute('style') ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .split('!', 1)[0]
    ?.trim()

/**
 * Gives each node whose source sets its fill, and not the color of its text, the more readable one of two text colors. `hexOf` returns a CSS color as
 * `#rrggbb`, or other text if the color is transparent or unknown.
 */
export function makeReadable(svg: Element, [one, other]: readonly [string, string], hexOf: (color: string) => string): void {
  for (const node of svg.querySelectorAll('.node')) {
    const styles = [...node.querySelectorAll('[style]')].filter((element) => element.closest('.label') === null)
    const fill = styles.map((element) => valueIn(element, 'fill')).find((found) => found !== undefined)
    const hex = fill === undefined ? '' : hexOf(fill)
    const hasColor = [...node.querySelectorAll('.label, .label *')].some(
      (each) => (valueIn(each, 'color') ?? valueIn(each, 'fill')) !== undefined
    )
    if (!/^#[\da-f]{6}$/i.test(hex) || hasColor) continue
    for (const text of node.querySelectorAll('.label text'))
      text.setAttribute('style', `${text.getAttribute('style') ?? ''};fill:${inkOn(hex, one, other)}`)
  }
}
