/** Names a session for the account page: browser and system, by the header `User-Agent`. */
import type { Words } from './words.ts'

/** Browsers and systems by what their header `User-Agent` says; the first match counts, because most name others too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  // Without windows it says HeadlessChrome.
  [/(Chrom(e|ium)|\bCriOS)\//, 'Chrome'],
  // Many name Safari, for pages that look for it; its own version is named by itself alone.
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

/** A browser, by its header `User-Agent`, as its owner would call it: "Firefox on Linux". */
export const browserName = (agent: string): string => {
  const system = match(systems, agent)
  return `${match(browsers, agent) ?? unknownBrowser}${system === undefined ? '' : ` on ${system}`}`
}

/** The name that a browser was kept by, in the language of the reader; any other name stays. */
export function browserWords({ t }: Words, name: string): string {
  const [browser = '', system] = name.split(' on ')
  const isUnknown = browser === unknownBrowser
  if (!isUnknown && !browsers.some(([, known]) => known === browser)) return name
  if (system === undefined) return isUnknown ? t('A browser') : name
  if (!systems.some(([, known]) => known === system)) return name
  return t('{browser} on {system}', { browser: isUnknown ? t('A browser') : browser, system })
}
