/**
 * A JSON list as a table: a list of objects with a column for each key, or a list of rows. Changing a cell replaces only the value of that cell.
 * The rest of the source does not change.
 */
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { trimBlanks } from '../text/scan.ts'
import { within } from './edits.ts'
import type { Fence, Line, Range } from './fences.ts'
import { lettersOfColumn } from './formula/parse.ts'
import { compare } from './formula/values.ts'
import { movedTo } from './formula/rewrite.ts'
import { type CellChange, isMove, sortedOrder, type Table } from './table.ts'

/** A JSON value and its position in the text. */
interface Value extends Range {
  /** The entries of a list, or of an object with its keys; undefined for plain values. */
  readonly items: readonly Entry[] | undefined
}

type Entry = Value & { readonly key?: Range & { readonly name: string } }

const space = /[ \t\n\r]*/y
const atom = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}:"]+/y

/** Parses text that is known to be valid JSON. */
const valuesOf = (text: string): Value => {
  let at = 0
  const skip = (): void => {
    space.lastIndex = at
    space.test(text)
    at = space.lastIndex
  }
  const take = (): Range => {
    atom.lastIndex = at
    const from = at
    at += atom.exec(text)?.[0].length ?? 1
    return { from, to: at }
  }
  const value = (): Value => {
    skip()
    const from = at
    const end = { '[': ']', '{': '}' }[text.charAt(at)]
    if (end === undefined) return { ...take(), items: undefined }
    const items: Entry[] = []
    at += 1
    for (skip(); at < text.length && text.charAt(at) !== end; skip()) {
      if (text.charAt(at) === ',') {
        at += 1
        continue
      }
      if (end === ']') {
        items.push(value())
        continue
      }
      const key = take()
      skip()
      at += 1
      items.push({ ...value(), key: { ...key, name: JSON.parse(text.slice(key.from, key.to)) as string } })
    }
    at += 1
    return { from, to: at, items }
  }
  return value()
}

/**
 * Returns the JSON form of the text. It is a number if parsing and printing gives the same text (`2.5`, but not `0E0` or `-0`), and otherwise a string.
 */
const written = (text: string): string => {
  const value = Number(text)
  return Number.isFinite(value) && String(value) === text ? JSON.stringify(value) : JSON.stringify(text)
}

interface Body {
  readonly fence: Fence
  readonly lines: readonly Line[]
  readonly text: string
  readonly list: Value
  readonly items: readonly Entry[]
  readonly rows: Table['texts']
  readonly heads: readonly string[]
  readonly isLists: boolean
}

/** Returns the item that a row shows. For objects, the first row shows the keys. */
const itemOf = ({ items, isLists }: Body, row: number): Entry | undefined => items[isLists ? row : row - 1]
const isHead = ({ isLists }: Body, row: number): boolean => !isLists && row === 0
const entryAt = (body: Body, item: Entry | undefined, column: number): Entry | undefined =>
  body.isLists ? item?.items?.[column] : item?.items?.findLast(({ key }) => key?.name === body.heads[column])
const startOf = ({ key, from }: Entry): number => key?.from ?? from

/** Returns the offset in the document. A plain JSON value ends on the line on which it begins, but a list or object may end on another line. */
const absolute = ({ lines, fence }: Body, offset: number): number => {
  let start = 0
  for (const line of lines) {
    if (offset <= start + line.text.length) return line.from + offset - start
    start += line.text.length + 1
  }
  return fence.bodyTo
}
const edit = (body: Body, from: number, to: number, insert: string): Edit => ({
  from: absolute(body, from),
  to: absolute(body, to),
  insert
})

/** Returns the text to insert between items. If the items are on separate lines, a new item gets a separate line too. */
const gapBefore = ({ text, fence }: Body, { from }: Entry): string => {
  const start = trimBlanks(text, 0, from)
  return start === 0 || text[start - 1] === '\n' ? `\n${fence.prefix}${text.slice(start, from)}` : ' '
}

const writtenItem = ({ isLists, heads }: Body, textOf: (column: number) => string, width: number): string => {
  const cells = Array.from({ length: width }, (_cell, column) => {
    const text = textOf(column)
    const value = text === '' ? '""' : written(text)
    return isLists ? value : `${JSON.stringify(heads[column] ?? lettersOfColumn(column))}: ${value}`
  })
  return isLists ? `[${cells.join(', ')}]` : `{${cells.join(', ')}}`
}

/** Returns the edits that add items at the end. */
const appended = (body: Body, items: readonly string[]): Edit[] => {
  if (items.length === 0) return []
  const last = body.items.at(-1)
  if (last === undefined) return [edit(body, body.list.from + 1, body.list.from + 1, items.join(', '))]
  const gap = gapBefore(body, last)
  return [edit(body, last.to, last.to, items.map((item) => `,${gap}${item}`).join(''))]
}

const renamed = (body: Body, cells: ReadonlyMap<number, string>): Edit[] => {
  const { items, heads } = body
  const names = new Map<string, string>()
  for (const [column, text] of cells) {
    const head = heads[column]
    // Two columns with the same name would become one column.
    if (head !== undefined && text !== '' && !heads.includes(text) && ![...names.values()].includes(text)) names.set(head, text)
  }
  return items
    .flatMap((item) => item.items ?? [])
    .flatMap(({ key }) => {
      const name = key && names.get(key.name)
      return key === undefined || name === undefined ? [] : [edit(body, key.from, key.to, JSON.stringify(name))]
    })
}

/** Returns the edits for changed cells in an existing row. */
const rowEdits = (body: Body, row: number, item: Entry, cells: ReadonlyMap<number, string>): Edit[] => {
  const { isLists, heads, rows } = body
  if (item.items === undefined) return []
  const there = item.items
  const changed = [...cells].flatMap(([column, text]): Edit[] => {
    const value = entryAt(body, item, column)
    if (value === undefined || value.items !== undefined || text === (rows[row]?.[column] ?? '')) return []
    return [edit(body, value.from, value.to, written(text))]
  })
  const missing = [...cells].filter(([column, text]) => text !== '' && entryAt(body, item, column) === undefined)
  const last = Math.max(...missing.map(([column]) => column))
  const more = isLists
    ? Array.from({ length: Math.max(0, last + 1 - there.length) }, (_cell, index) => {
        const text = cells.get(there.length + index) ?? ''
        return text === '' ? '""' : written(text)
      })
    : missing.map(([column, text]) => `${JSON.stringify(heads[column] ?? lettersOfColumn(column))}: ${written(text)}`)
  if (more.length === 0) return changed
  const end = there.at(-1)
  const added = more.join(', ')
  return [...changed, end === undefined ? edit(body, item.from + 1, item.from + 1, added) : edit(body, end.to, end.to, `, ${added}`)]
}

const setCells = (body: Body, changes: readonly CellChange[]): Edit[] => {
  const byRow = new Map<number, Map<number, string>>()
  for (const { row, column, text } of changes) {
    if (row < 0 || column < 0 || row >= limits.sheetRowsMax || column >= limits.sheetColumnsMax) continue
    byRow.set(row, (byRow.get(row) ?? new Map<number, string>()).set(column, text.trim()))
  }
  const own = [...byRow].flatMap(([row, cells]) => {
    const item = itemOf(body, row)
    if (isHead(body, row)) return renamed(body, cells)
    return item === undefined ? [] : rowEdits(body, row, item, cells)
  })
  const { rows, heads } = body
  const added = Array.from({ length: Math.max(0, ...byRow.keys(), rows.length - 1) + 1 - rows.length }, (_row, index) => {
    const cells = byRow.get(rows.length + index) ?? new Map<number, string>()
    return writtenItem(body, (column) => cells.get(column) ?? '', Math.max(heads.length, ...[...cells.keys()].map((column) => column + 1)))
  })
  return [...own, ...appended(body, added)]
}

const insertRow = (body: Body, at: number): Edit[] => {
  if (at < 1 || at > body.rows.length || body.rows.length >= limits.sheetRowsMax) return []
  const item = itemOf(body, at)
  const empty = writtenItem(body, () => '', body.heads.length)
  return item === undefined ? appended(body, [empty]) : [edit(body, item.from, item.from, `${empty},${gapBefore(body, item)}`)]
}

/** Returns the edits that remove some entries from a list, each together with one comma. */
const without = (body: Body, entries: readonly Entry[], isGone: (entry: Entry) => boolean): Edit[] => {
  const kept = entries.findIndex((entry) => !isGone(entry))
  const [first, last, behind] = [entries[0], entries.at(-1), entries[kept]]
  if (first === undefined || last === undefined) return []
  if (behind === undefined) return [edit(body, startOf(first), last.to, '')]
  return [
    ...(kept === 0 ? [] : [edit(body, startOf(first), startOf(behind), '')]),
    ...entries.flatMap((entry, index) => {
      const before = entries[index - 1]
      return index > kept && before !== undefined && isGone(entry) ? [edit(body, before.to, entry.to, '')] : []
    })
  ]
}

/**
 * Returns the edits that put entries into a different order. Each entry takes the place of another one, and the text between the entries does not
 * change.
 */
const reordered = (body: Body, entries: readonly Entry[], order: readonly Entry[]): Edit[] =>
  entries.flatMap((target, index) => {
    const source = order[index]
    if (source === undefined || source === target) return []
    return [edit(body, startOf(target), target.to, body.fence.source.slice(absolute(body, startOf(source)), absolute(body, source.to)))]
  })

/** Returns a list in which some items have been moved before the item that has the index `to`. */
const afterMove = <T>(list: readonly T[], from: number, to: number, count: number): T[] => {
  const order = [...list]
  order.splice(movedTo({ from, to, count }), 0, ...order.splice(from, count))
  return order
}

const moveRow = (body: Body, from: number, to: number, count: number): Edit[] => {
  if (from < 1 || to < 1 || !isMove(from, to, count, body.rows.length)) return []
  const shift = body.isLists ? 0 : 1
  return reordered(body, body.items, afterMove(body.items, from - shift, to - shift, count))
}

/**
 * Moves columns. The columns of objects are in the order of their keys, so they can move if the first object has all keys. Values in lists are
 * identified by their position, so columns can move if no list ends within the affected columns.
 */
const moveColumn = (body: Body, from: number, to: number, count: number): Edit[] => {
  const { heads, items, isLists } = body
  const [start, end] = [Math.min(from, to), Math.max(from + count, to)]
  const sizes = items.map((item) => item.items?.length ?? 0)
  const isSound = isLists ? sizes.every((size) => size <= start || size >= end) : sizes[0] === heads.length
  if (!isSound || !isMove(from, to, count, heads.length)) return []
  const columns = afterMove([...heads.keys()], from, to, count)
  return items.flatMap((item) => {
    const order = columns.flatMap((column) => entryAt(body, item, column) ?? [])
    // An object with a repeated key does not change.
    return order.length === item.items?.length ? reordered(body, item.items, order) : []
  })
}

const deleteRow = (body: Body, at: number, count: number): Edit[] => {
  const gone = Array.from({ length: count }, (_row, index) => itemOf(body, at + index))
  return at < 1 ? [] : without(body, body.items, (item) => gone.includes(item))
}

const insertColumn = (body: Body, at: number): Edit[] => {
  const { items, heads, isLists } = body
  if (at < 0 || at > heads.length || heads.length >= limits.sheetColumnsMax || (!isLists && heads.includes(''))) return []
  const cell = isLists ? '""' : '"": ""'
  return items.flatMap((item) => {
    if (item.items === undefined) return []
    const [behind, last] = [entryAt(body, item, at), item.items.at(-1)]
    if (behind !== undefined) return [edit(body, startOf(behind), startOf(behind), `${cell}, `)]
    if (isLists && item.items.length < at) return []
    return [last === undefined ? edit(body, item.from + 1, item.from + 1, cell) : edit(body, last.to, last.to, `, ${cell}`)]
  })
}

const deleteColumn = (body: Body, at: number, count: number): Edit[] => {
  if (count >= body.heads.length) return []
  return body.items.flatMap((item) => {
    const gone = Array.from({ length: count }, (_column, index) => entryAt(body, item, at + index))
    return without(body, item.items ?? [], (entry) => gone.includes(entry))
  })
}

/** Returns the table of a body that is known to be a list. */
export const jsonTable = (fence: Fence, first: number, rows: Table['texts']): Table => {
  const lines = fence.lines.slice(first)
  const text = lines.map((line) => line.text).join('\n')
  const list = valuesOf(text)
  const items = list.items ?? []
  const isLists = items.every((item) => text.charAt(item.from) === '[')
  const body: Body = { fence, lines, text, list, items, rows, heads: rows[0] ?? [], isLists }
  return {
    fence,
    texts: rows,
    width: rows.reduce((width, { length }) => Math.max(width, length), 0),
    sides: [],
    mayChange(row, column) {
      // A column gets its name only when it has a value.
      if (isHead(body, row)) return column < body.heads.length
      if (row >= rows.length) return true
      const [item, value] = [itemOf(body, row), entryAt(body, itemOf(body, row), column)]
      return value === undefined ? item?.items !== undefined : value.items === undefined
    },
    setCells: (changes) => within(fence, setCells(body, changes)),
    insertRow: (at) => within(fence, insertRow(body, at)),
    insertColumn: (at) => within(fence, insertColumn(body, at)),
    deleteRow: (at, count = 1) => within(fence, deleteRow(body, at, count)),
    deleteColumn: (at, count = 1) => within(fence, deleteColumn(body, at, count)),
    moveRow: (from, to, count = 1) => within(fence, moveRow(body, from, to, count)),
    moveColumn: (from, to, count = 1) => within(fence, moveColumn(body, from, to, count)),
    sortRows(column, descending, valueAt) {
      const order = sortedOrder(rows.length, descending, (row) => valueAt(row, column), compare)
      return within(
        fence,
        order.flatMap((from, index) => {
          const [source, target] = [itemOf(body, from), itemOf(body, index + 1)]
          if (source === undefined || target === undefined || source === target) return []
          return [edit(body, target.from, target.to, fence.source.slice(absolute(body, source.from), absolute(body, source.to)))]
        })
      )
    }
  }
}
