/** Shows the service's words in rendered text, such as the times of chat messages, in the language and time zone of the page. */
import { inLanguage } from '../../shared/markdown/published-words.ts'
import { displayName } from '../presence/people.ts'
import { language, locale } from '../text/t.ts'

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Returns rendered text with the words of the page's reader. */
export const inReadersWords = (html: string): string =>
  inLanguage(html, language(), {
    timeOf: (time) => escape(new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })),
    guestOf: (stored) => escape(displayName(stored))
  })
