/**
 * The German names of functions and constants, as spreadsheets use them. Formulas use the English names. If a formula has a German name, its error
 * names the English one.
 */
import { Failure } from './values.ts'

/** English names by their German names. */
export const englishNames: Readonly<Record<string, string>> = {
  ABRUNDEN: 'ROUNDDOWN',
  ANZAHL: 'COUNT',
  ANZAHL2: 'COUNTA',
  AUFRUNDEN: 'ROUNDUP',
  DATUM: 'DATE',
  EINDEUTIG: 'UNIQUE',
  FALSCH: 'FALSE',
  GLÄTTEN: 'TRIM',
  GROSS: 'UPPER',
  HEUTE: 'TODAY',
  ISTLEER: 'ISBLANK',
  JAHR: 'YEAR',
  KLEIN: 'LOWER',
  LINKS: 'LEFT',
  LÄNGE: 'LEN',
  MITTELWERT: 'AVERAGE',
  MONAT: 'MONTH',
  NICHT: 'NOT',
  ODER: 'OR',
  POTENZ: 'POWER',
  RANG: 'RANK',
  'RANG.GLEICH': 'RANK',
  RECHTS: 'RIGHT',
  REST: 'MOD',
  RUNDEN: 'ROUND',
  SORTIEREN: 'SORT',
  STABW: 'STDEV',
  'STABW.S': 'STDEV',
  SUMME: 'SUM',
  SUMMEWENN: 'SUMIF',
  SVERWEIS: 'VLOOKUP',
  TAG: 'DAY',
  TAGE: 'DAYS',
  TEIL: 'MID',
  TEXTKETTE: 'CONCAT',
  UND: 'AND',
  VERGLEICH: 'MATCH',
  VERKETTEN: 'CONCATENATE',
  WAHR: 'TRUE',
  WENN: 'IF',
  WENNFEHLER: 'IFERROR',
  WERT: 'VALUE',
  WURZEL: 'SQRT',
  XVERWEIS: 'XLOOKUP',
  ZÄHLENWENN: 'COUNTIF'
}

/** Returns the failure for an unknown name. `hint` is the sentence with `{other}`, the English name to use. */
export const noSuch = (name: string, sentence: string, hint: string): Failure => {
  const german = name.toUpperCase()
  const other = Object.hasOwn(englishNames, german) ? englishNames[german] : undefined
  const shown = { name: name.slice(0, 40) }
  return other === undefined ? new Failure('#NAME?', sentence, shown) : new Failure('#NAME?', hint, { ...shown, other })
}
