/**
 * The words of the pages. A sentence in English is its own name; the catalogue of another language has a translation for each (a test
 * compares them with the sources). A catalogue is loaded before the first page is drawn, so that asking for words never waits.
 */
import { languageCookie } from '../../shared/names.ts'
import { type Catalogue, fill, type Values } from '../../shared/words.ts'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

export { term } from '../../shared/words.ts'

/** Languages that the pages speak, by their BCP 47 tag, as each names itself. */
const names = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof names

/** In the order in which they are offered. */
export const languages = Object.entries(names).map(([tag, name]) => ({ tag: tag as Language, name }))

const languageKey = deviceValue('language')

const catalogues: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Catalogue>>> = {
  de: async () => (await import('./de.ts')).de
}

const isLanguage = (tag: string): tag is Language => Object.hasOwn(names, tag)

/** The language that this device has chosen, else the first one of the browser that is spoken here, else English. */
const preferred = (): Language =>
  [readDevice(languageKey) ?? '', ...navigator.languages.map((tag) => tag.split('-')[0] ?? '')].find(isLanguage) ?? 'en'

/** The language of the pages, with the region that the browser asks for: for numbers, dates and plurals. */
export let locale = 'en'
let catalogue: Catalogue = {}
let plurals = new Intl.PluralRules('en')

/** Tells the pages without script what was chosen here. A cookie has no other name for what a page may set by itself. */
function tellServer(tag: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = `${languageCookie}=${tag}`
  if (!document.cookie.split('; ').includes(value)) document.cookie = `${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

/** To be awaited before anything is drawn. Without the network and without a kept catalogue the pages speak English. */
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

/** The language that the pages speak now. */
export const language = (): Language => [document.documentElement.lang].find(isLanguage) ?? 'en'

/** Speaks another language from now on, on this device: the page is loaded again, with what is kept here and on the server. */
export function setLanguage(tag: Language): void {
  writeDevice(languageKey, tag)
  location.reload()
}

/** A sentence in the language of the page; `{name}` stands for a value. */
export function t(sentence: string, values: Values = {}): string {
  const found = catalogue[sentence] ?? sentence
  return fill(typeof found === 'string' ? found : found.other, values, locale)
}

/** As `t`, for a number of things: `{count}` stands for it. The sentence for many is the name. */
export function tn(count: number, one: string, many: string, values: Values = {}): string {
  const found = catalogue[many] ?? { one, other: many }
  const sentence = typeof found === 'string' ? found : (found[plurals.select(count)] ?? found.other)
  return fill(sentence, { ...values, count }, locale)
}

/** A large number as people say it: "4.2 million". */
export const shortNumber = (value: number): string =>
  new Intl.NumberFormat(locale, { notation: 'compact', compactDisplay: 'long' }).format(value)

/** The words for an action, as they follow “You”: English says it alike, German changes its verb. */
export const ofYouIn = (language: Language, words: string): string =>
  language === 'de' ? words.replace(/^hat /, 'hast ').replace(/^konnte /, 'konntest ') : words

/** The same in the language of the page. */
export const ofYou = (words: string): string => ofYouIn(language(), words)
