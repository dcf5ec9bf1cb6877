/**
 * The words that the service adds to the text of a published page: names of its parts, dates, and the heads of chat messages. The text is rendered
 * once, in English. `inLanguage` replaces these words in the HTML. The text of people is escaped there, so it cannot look like them.
 */
import { settingOf } from '../names.ts'

/** Longest value of `lang:` that is read, in UTF-16 units. */
const languageUnitsMax = 35

/** Returns the BCP 47 tag in the setting `lang:` of the front matter, or undefined if it is missing or invalid. */
export const languageIn = (content: string): string | undefined => {
  const tag = settingOf(content, 'lang', languageUnitsMax)
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(tag) ? tag : undefined
}

/** Languages of published pages (BCP 47). */
export type PublishedLanguage = 'en' | 'de'

interface Frame {
  readonly skip: string
  readonly contents: string
  readonly published: string
  readonly updated: string
}

export const frameWords: Readonly<Record<PublishedLanguage, Frame>> = {
  en: { skip: 'Skip to the text', contents: 'Contents', published: 'Published', updated: 'Updated' },
  de: { skip: 'Zum Text springen', contents: 'Inhalt', published: 'Veröffentlicht am', updated: 'Zuletzt geändert am' }
}

const germanLabels: Readonly<Partial<Record<string, string>>> = {
  'Link to this section': 'Link zu diesem Abschnitt',
  Table: 'Tabelle',
  'Footnote {count}': 'Fußnote {count}',
  'Back to reference {count}': 'Zurück zum Verweis {count}',
  'Back to reference {count}, place {count}': 'Zurück zum Verweis {count}, Stelle {count}',
  Footnotes: 'Fußnoten',
  'To do': 'Zu tun',
  'In progress': 'In Arbeit',
  Done: 'Erledigt',
  Sheet: 'Tabelle',
  Chart: 'Diagramm',
  Details: 'Details',
  Note: 'Hinweis',
  Tip: 'Tipp',
  Important: 'Wichtig',
  Warning: 'Warnung',
  Caution: 'Vorsicht',
  'Code of the widget': 'Code des Widgets',
  'Source of the diagram': 'Quelltext des Diagramms'
}

/** Pages have no script that could find out the reader's time zone, so a time of day names its zone, and a day is the day in UTC. */
const zone = { timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' } as const
const clock = { ...zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
const regional: Readonly<Record<PublishedLanguage, string>> = { en: 'en-US', de: 'de-DE' }

/** Returns a day, such as "Nov 20, 2026". The time is in milliseconds since 1970. */
export const dayIn = (language: PublishedLanguage, time: number): string => new Date(time).toLocaleDateString(regional[language], zone)

/** How the head of a chat message shows its author and its time. */
export interface ChatWords {
  /** Returns the time as HTML. It is given in milliseconds since 1970. */
  readonly timeOf: (time: number) => string
  /** Returns the name of a guest as HTML. It is given as it is stored, such as "Guest 27" or "guest". */
  readonly guestOf: (stored: string) => string
}

const chatWords = (language: PublishedLanguage): ChatWords => ({
  timeOf: (time) => new Date(time).toLocaleString(regional[language], clock),
  guestOf: (stored) => (language === 'de' ? stored.replace(/^guest/i, 'Gast') : stored)
})

// The summaries of people's own collapsible text stay as they are. Code follows only the summaries of the service.
const label = /( aria-label="|<summary>)([^"<>]{1,60})(?="|<\/summary><pre tabindex="0">)/g
// The titles that people give to callouts have another class.
const calloutTitle = /(<p class="callout-title callout-kind">)([A-Za-z]{1,9})(?=<\/p>)/g
const messageHead = /(<p class="message-head"><b>)(guest(?: \d{1,9})?)(?=<\/b>)/gi
const messageTime = /(<time datetime="([\d:.TZ+-]{1,40})">)[^<>]{1,100}(?=<\/time>)/g

function germanLabel(whole: string, before: string, words: string): string {
  const counts = words.match(/\d+/g) ?? []
  const found = germanLabels[words.replaceAll(/\d+/g, '{count}')]
  return found === undefined ? whole : before + found.replaceAll('{count}', () => counts.shift() ?? '')
}

/** Returns rendered text with the service's words in a language. */
export const inLanguage = (html: string, language: PublishedLanguage, { timeOf, guestOf } = chatWords(language)): string => {
  const heads = html
    .replaceAll(messageHead, (_whole, before: string, stored: string) => before + guestOf(stored))
    .replaceAll(messageTime, (_whole, before: string, at: string) => before + timeOf(Date.parse(at)))
  return language === 'en' ? heads : heads.replaceAll(label, germanLabel).replaceAll(calloutTitle, germanLabel)
}
