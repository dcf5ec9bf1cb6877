/** German. */
import type { Catalogue } from './t.ts'

export const de: Catalogue = {
  Reload: 'Neu laden',
  'All documents': 'Alle Dokumente',
  'Also here': 'Auch hier',
  Guest: 'Gast',
  'Opening the document': 'Das Dokument wird geöffnet',
  Read: 'Lesen',
  'Read the text as it is published': 'Den Text lesen, wie er veröffentlicht wird',
  Share: 'Teilen',
  'Show the Markdown as it is stored': 'Das Markdown zeigen, wie es gespeichert ist',
  Source: 'Quelltext',
  'The document would be larger than {max} characters; the change was not made.':
    'Das Dokument wäre größer als {max} Zeichen; die Änderung wurde nicht gemacht.',
  '{count} words': { one: '1 Wort', other: '{count} Wörter' },
  '{name} (you)': '{name} (du)',
  '{some} of {count} words': { one: '{some} von 1 Wort', other: '{some} von {count} Wörtern' },
  'A new version of agmd is ready.': 'Eine neue Version von agmd ist bereit.'
}
