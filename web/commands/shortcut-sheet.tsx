/** The dialog that lists all shortcuts. */
import type { JSX } from 'preact'
import type { Page } from './page.ts'
import { t, term } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { commands } from './all.ts'
import { groups, type Group } from '../view/command.ts'
import { Keys } from './key-caps.tsx'

interface Row {
  readonly title: string
  /** A sequence of keys, or alternatives. */
  readonly keys: readonly string[]
}

/** Keys that the editor handles without a command. */
const whileWriting: readonly Row[] = [
  { title: term('Blocks to insert'), keys: ['/'] },
  { title: term('Emoji by name'), keys: [':'] },
  { title: term('Indent and outdent list items; next and previous table cell'), keys: ['Tab', 'Shift-Tab'] },
  { title: term('Paste without formatting'), keys: ['Mod-Shift-v'] },
  { title: term('Leave the text: Esc, then Tab'), keys: ['Escape', 'Tab'] }
]

/** Whether an earlier command is already listed with this key. Such a key has one command for a text selection and another elsewhere. */
const isTaken = (key: string, id: string): boolean => commands.find(({ keys }) => keys?.includes(key))?.id !== id

const rowsOf = (group: Group): Row[] =>
  commands.flatMap(({ id, group: own, title, keys = [] }) => {
    const shown = own === group ? keys.filter((key) => !isTaken(key, id)) : []
    return shown.length === 0 ? [] : [{ title, keys: shown }]
  })

const section = (title: string, rows: readonly Row[]): JSX.Element | null =>
  rows.length === 0 ? null : (
    <section key={title} class='sheet-group'>
      <h3>{t(title)}</h3>
      <dl>
        {rows.map((row) => (
          <div key={row.title}>
            <dt>{t(row.title)}</dt>
            <dd>
              {row.keys.map((keys) => (
                <Keys key={keys} keys={keys} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )

export function ShortcutSheet({ view }: { view: Page }): JSX.Element {
  return (
    <Dialog title={t('Keyboard shortcuts')} wide onClose={() => (view.dialog.value = undefined)}>
      <div class='sheet'>
        {section(term('While writing'), whileWriting)}
        {(Object.keys(groups) as Group[]).map((group) => section(groups[group], rowsOf(group)))}
      </div>
    </Dialog>
  )
}
