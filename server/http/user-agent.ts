/** Names sessions for the account page by browser and system, from the `User-Agent` header. */
import type { Words } from './words.ts'

/** Patterns for browsers in the `User-Agent` header. The first match counts, because most headers also name other browsers. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  // Headless Chrome identifies itself as HeadlessChrome.
  [/(Chrom(e|ium)|\bCriOS)\//, 'Chrome'],
  // Many browsers name Safari, because some pages look for Safari. Only Safari also includes `Version/`.
  [/\bVersion\/[\d.]+ (Mobile\/\w+ )?Safari\//, 'Safari']
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux']
]

const match = (table: typeof browsers, agent: string): string | undefined => table.find(([pattern]) => pattern.test(agent))?.[1]

const unknownBrowser = 'A browser'

/** Returns the name of a browser as people say it: "Firefox on Linux". */
export const browserName = (agent: string): string => {
  const system = match(systems, agent)
  return `${match(browsers, agent) ?? unknownBrowser}${system === undefined ? '' : ` on ${system}`}`
}

/** Returns a stored browser name in the reader's language. Any other name is returned unchanged. */
export function browserWords({ t }: Words, name: string): string {
  const [browser = '', system] = name.split(' on ')
  const isUnknown = browser === unknownBrowser
  if (!isUnknown && !browsers.some(([, known]) => known === browser)) return name
  if (system === undefined) return isUnknown ? t('A browser') : name
  if (!systems.some(([, known]) => known === system)) return name
  return t('{browser} on {system}', { browser: isUnknown ? t('A browser') : browser, system })
}
