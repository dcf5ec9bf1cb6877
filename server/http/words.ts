/** The text of pages that the server writes. It is in the language that the person chose on a page, or else in the browser's language. */
import type { IncomingMessage } from 'node:http'
import { ago } from '../../shared/ago.ts'
import { languageCookie } from '../../shared/names.ts'
import { type Catalogue, fill, type Sentence, type Values } from '../../shared/words.ts'
import { readCookie } from '../auth/cookies.ts'
import { german } from './german.ts'
import type { Context } from './context.ts'

/** Languages of the server's pages (BCP 47). */
export type PageLanguage = 'en' | 'de'

const catalogues: Readonly<Record<PageLanguage, Catalogue>> = { en: {}, de: german }

export interface Words {
  readonly language: PageLanguage
  /** Returns a sentence in the reader's language. `{name}` is a placeholder for a value. */
  t(sentence: string, values?: Values): string
  /** Returns a sentence about a number of things. `{count}` is the placeholder for the number, and the plural sentence is the key. */
  tn(count: number, one: string, many: string): string
  say(sentence: Sentence): string
  /** Returns how long ago something happened. Both times are in milliseconds since 1970. */
  ago(instant: number, now: number): string
}

const createWords = (language: PageLanguage): Words => {
  const catalogue = catalogues[language]
  const plurals = new Intl.PluralRules(language)
  const t: Words['t'] = (sentence, values = {}) => {
    const found = catalogue[sentence] ?? sentence
    return fill(typeof found === 'string' ? found : found.other, values, language)
  }
  return {
    language,
    t,
    tn(count, one, many) {
      const found = catalogue[many] ?? { one, other: many }
      return fill(typeof found === 'string' ? found : (found[plurals.select(count)] ?? found.other), { count }, language)
    },
    say: ({ sentence, values }) => t(sentence, values),
    ago: (instant, now) => ago(instant, now, { locale: language, now: t('just now') })
  }
}

const words: Readonly<Record<PageLanguage, Words>> = { en: createWords('en'), de: createWords('de') }

/** Returns a sentence in all languages of the pages. */
export const inEachLanguage = (sentence: string): readonly string[] => Object.values(words).map(({ t }) => t(sentence))

const known = new WeakMap<IncomingMessage, Words>()

/** Returns the text functions for the sender of a request. */
export const wordsOf = (ctx: Pick<Context, 'req' | 'acceptsLanguages'>): Words => {
  const found = known.get(ctx.req)
  if (found !== undefined) return found
  const asked = readCookie(ctx.req.headers, languageCookie) ?? ctx.acceptsLanguages('en', 'de')
  const chosen = words[asked === 'de' ? 'de' : 'en']
  known.set(ctx.req, chosen)
  return chosen
}
