/** The forms in which an edit is accepted, and the canonical form. This file does not import the schemas, so that the client can use it. */
import { rename } from '../operation.ts'
import { otherOpNames } from './edit-names.ts'

const ownNames = rename({ operation: 'op', type: 'op', heading: 'section' })
const withMarkdown = rename({ text: 'markdown', content: 'markdown' })
/** The operations that take Markdown. For other operations the field keeps its name, so that the error names it. */
const writers = ['replace', 'replace_all', 'insert', 'append', 'append_item', 'replace_section', 'replace_lines', 'set_document']
const withText = rename({ markdown: 'with', replacement: 'with', replace: 'with', new_string: 'with', new_str: 'with' })
const withWords = rename({ old_string: 'find', old_str: 'find' })

/** Normalizes the names in one operation. `find` with a replacement means `replace`, and `insert` into a section appends to that section. */
export const normaliseOne = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  const { op } = raw as Record<string, unknown>
  // A cell contains text instead of Markdown, and a task is identified by its item.
  if (op === 'set_cell') return rename({ value: 'text', markdown: 'text', heading: 'section' })(raw as Record<string, unknown>)
  if (op === 'check') return rename({ text: 'item', task: 'item', heading: 'section' })(raw as Record<string, unknown>)
  const named = withWords(ownNames(raw as Record<string, unknown>))
  if (named['op'] === undefined ? named['find'] === undefined : !writers.includes(String(named['op']))) return named
  const found = withMarkdown(named)
  const replacing = withText(found)
  if (found['op'] === 'replace' || found['op'] === 'replace_all') return replacing
  const isNamed = found['op'] !== undefined || otherOpNames.some((name) => found[name] !== undefined)
  if (!isNamed && found['find'] !== undefined && replacing['with'] !== undefined) return { ...replacing, op: 'replace' }
  return found['op'] === 'insert' && found['section'] !== undefined && found['at'] === undefined ? { ...found, op: 'append' } : found
}

/** Whether edits, validated or raw, replace sections. Such edits replace text that they do not quote. */
export const replacesSections = (operations: unknown): boolean =>
  Array.isArray(operations) &&
  operations.map(normaliseOne).some((each) => (each as Record<string, unknown> | null | undefined)?.['op'] === 'replace_section')
