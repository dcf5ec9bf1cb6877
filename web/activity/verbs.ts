/** Makes the verb of an action agree with its subject. The phrases of event-words.ts follow the name of one person. */
import { language, type Language } from '../text/t.ts'

export type Subject = 'you' | 'one' | 'many' | 'you and others'

/** The German auxiliary verbs of the phrases. */
const german: Readonly<Record<Subject, { readonly hat: string; readonly konnte: string }>> = {
  you: { hat: 'hast', konnte: 'konntest' },
  one: { hat: 'hat', konnte: 'konnte' },
  many: { hat: 'haben', konnte: 'konnten' },
  'you and others': { hat: 'habt', konnte: 'konntet' }
}

/** Returns the phrase for an action after its subject. In English, the phrase is the same for all subjects. */
export const agreeIn = (tongue: Language, subject: Subject, words: string): string =>
  tongue === 'de' ? words.replace(/^(hat|konnte)\b/, (verb) => german[subject][verb as 'hat' | 'konnte']) : words

/** Calls `agreeIn` with the language of the page. */
export const agree = (subject: Subject, words: string): string => agreeIn(language(), subject, words)
