/**
 * The words of the pages. An English sentence is its own key; the catalogue of another language has a translation for each (a test compares them with
 * the sources). A catalogue is loaded before the first page is drawn, so that looking up words never waits.
 */
import { languageCookie } from '../../shared/names.ts'
import { type Catalogue, fill, type Values } from '../../shared/words.ts'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

export { term } from '../../shared/words.ts'

/** Languages of the pages, by BCP 47 tag, each with its own name. */
const names = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof names

/** In menu order. */
export const languages = Object.entries(names).map(([tag, name]) => ({ tag: tag as Language, name }))

const languageKey = deviceValue('language')

const catalogues: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogue>>> = {
  de: async () => (await import('./de.ts')).de
}

const isLanguage = (tag: string): tag is Language => Object.hasOwn(names, tag)

/** The language chosen on this device, otherwise the first of the browser's languages that is available, otherwise English. */
const preferred = (): Language =>
  [readDevice(languageKey) ?? '', ...navigator.languages.map((tag) => tag.split('-')[0] ?? '')].find(isLanguage) ?? 'en'

/** The language of the pages with the browser's region, for numbers, dates and plurals. */
export let locale = 'en'
let catalogue: Catalogue = {}
let plurals = new Intl.PluralRules('en')

/** Tells the pages without script about the choice made here, in a cookie. */
function tellServer(tag: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = `${languageCookie}=${tag}`
  if (!document.cookie.split('; ').includes(value)) document.cookie = `${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

/** Await this before drawing anything. Without the network and without a cached catalogue the pages are in English. */
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

/** Changes the language on this device and loads the page again. Everything typed is stored here or on the server. */
export function setLanguage(tag: Language): void {
  writeDevice(languageKey, tag)
  location.reload()
}

/** A sentence in the language of the page; `{name}` stands for a value. */
export function t(sentence: string, values: Values = {}): string {
  const found = catalogue[sentence] ?? sentence
  return fill(typeof found === 'string' ? found : found.other, values, locale)
}

/** `t` for a number of things: `{count}` stands for the number. The plural sentence is the key. */
export function tn(count: number, one: string, many: string, values: Values = {}): string {
  const found = catalogue[many] ?? { one, other: many }
  const sentence = typeof found === 'string' ? found : (found[plurals.select(count)] ?? found.other)
  return fill(sentence, { ...values, count }, locale)
}

/** A large number in short form: "4.2 million". */
export const shortNumber = (value: number): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', compactDisplay: 'long' }).format(value)

/** The words for an action after “You”: they stay the same in English, but German conjugates the verb. */
export const ofYouIn = (language: Language, words: string): string =>
  language === 'de' ? words.replace(/^hat /, 'hast ').replace(/^konnte /, 'konntest ') : words

/** `ofYouIn` for the language of the page. */
export const ofYou = (words: string): string => ofYouIn(language(), words)
