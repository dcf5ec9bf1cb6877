/**
 * Displays the numbers of sheets and charts with the separators of the reader's language. Copied cells have them too, for other programs. The text and
 * formulas always use a decimal point.
 */

/** Matches text that contains one number, such as `1,234.5`, `.5 %` or `€ 2.50`. A date, a version or a list contains more than one. */
const oneNumber = /^([^\d.,]*)(?:(\d[\d,]*)(?:\.(\d+))?|\.(\d+))((?:[eE][+-]?\d+)?[^\d.,]*)$/
const grouped = /^\d{1,3}(?:,\d{3})*$/

/** Decimal separator and thousands separator of each language. */
const known = new Map<string, { readonly decimal: string; readonly group: string }>()

/** Returns the separators of a language. */
export function signsOf(locale: string): { readonly decimal: string; readonly group: string } {
  const found = known.get(locale)
  if (found !== undefined) return found
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345.6)
  const sign = (type: 'decimal' | 'group', other: string): string => parts.find((part) => part.type === type)?.value ?? other
  const signs = { decimal: sign('decimal', '.'), group: sign('group', ',') }
  known.set(locale, signs)
  return signs
}

/** Returns a number in the notation of the reader's language. Returns any other text unchanged. */
export function shownNumber(text: string, locale: string): string {
  const [all, before = '', whole = '', afterWhole, alone, behind = ''] = oneNumber.exec(text) ?? []
  if (all === undefined || (whole.includes(',') && !grouped.test(whole))) return text
  const fraction = afterWhole ?? alone
  const { decimal, group } = signsOf(locale)
  return `${before}${whole.replaceAll(',', group)}${fraction === undefined ? '' : `${decimal}${fraction}`}${behind}`
}
