/** Translates CodeMirror's own strings, most of which are for screen readers. */
import { t } from '../text/t.ts'

export const phrases = (): Record<string, string> => ({
  Completions: t('Suggestions'),
  'current match': t('current match'),
  'on line': t('on line'),
  'replaced match on line $': t('replaced on line $'),
  'replaced $ matches': t('$ replaced'),
  'Selection deleted': t('Selection deleted')
})
