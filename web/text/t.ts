/**
 * The strings of the pages. An English sentence is its own key, and the catalog of another language has a translation for each. A test compares the
 * catalogs with the sources. A catalog is loaded before the first drawing, so that looking up text never waits.
 */
import { languageCookie } from '../../shared/names.ts'
import { type Catalogue, fill, type Values } from '../../shared/words.ts'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

export { term } from '../../shared/words.ts'

/** The languages of the pages by BCP 47 tag, each with its name in that language. */
const names = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof names

/** The languages in the order of the menu. */
export const languages = Object.entries(names).map(([tag, name]) => ({ tag: tag as Language, name }))

const languageKey = deviceValue('language')

const catalogues: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogue>>> = {
  de: async () => (await import('./de.ts')).de
}

const isLanguage = (tag: string): tag is Language => Object.hasOwn(names, tag)

/** Returns the language chosen on this device. Without a choice, it is the first available language of the browser, or else English. */
const preferred = (): Language =>
  [readDevice(languageKey) ?? '', ...navigator.languages.map((tag) => tag.split('-')[0] ?? '')].find(isLanguage) ?? 'en'

/** The language of the pages with the browser's region, used for numbers, dates and plurals. */
export let locale = 'en'
let catalogue: Catalogue = {}
let plurals = new Intl.PluralRules('en')

/** Stores the choice in a cookie, so that the pages rendered by the server use the same language. */
function tellServer(tag: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = `${languageCookie}=${tag}`
  if (!document.cookie.split('; ').includes(value)) document.cookie = `${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

/** Loads the strings. Await this before drawing anything. If neither the network nor the cache has the catalog, the pages are in English. */
export async function loadWords(): Promise<void> {
  const language = preferred()
  if (readDevice(languageKey) === language) tellServer(language)
  try {
    if (language !== 'en') catalogue = await catalogues[language]()
  } catch {
    return
  }
  locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language
  plurals = new Intl.PluralRules(locale)
  document.documentElement.lang = language
}

/** The current language of the pages. */
export const language = (): Language => [document.documentElement.lang].find(isLanguage) ?? 'en'

/** Changes the language on this device and reloads the page. Everything that the person typed is stored on this device or on the server. */
export function setLanguage(tag: Language): void {
  writeDevice(languageKey, tag)
  location.reload()
}

/** Returns a sentence in the page's language. `{name}` is replaced with a value. */
export function t(sentence: string, values: Values = {}): string {
  const found = catalogue[sentence] ?? sentence
  return fill(typeof found === 'string' ? found : found.other, values, locale)
}

/** Returns a sentence about a number of things. `{count}` is replaced with the number. The plural sentence is the key. */
export function tn(count: number, one: string, many: string, values: Values = {}): string {
  const found = catalogue[many] ?? { one, other: many }
  const sentence = typeof found === 'string' ? found : (found[plurals.select(count)] ?? found.other)
  return fill(sentence, { ...values, count }, locale)
}

/** Returns a large number in short form, such as "4.2 million". */
export const shortNumber = (value: number): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', compactDisplay: 'long' }).format(value)
