/**
 * Renders components as HTML without scripts, for published pages and the reading view. All text written by people is escaped or goes through the
 * Markdown pipeline. There are no style attributes, because the content security policy of the pages forbids them.
 */
import { limits } from '../limits.ts'
import { type Board, type Card, cardsShown, type CardState, detailsOf, parseBoard } from './board.ts'
import { captionOf } from './captions.ts'
import { chartData, chartRows, isProblem, parseChart, problemText, warningText, valueOf } from './chart.ts'
import { chartSvg, chartTable, type LegendEntry, legendOf, noSlice } from './chart-svg.ts'
import { type Message, parseChat } from './chat.ts'
import type { DocumentSheets } from './document-sheets.ts'
import type { Fence } from './fences.ts'
import { Day, Failure } from './formula/values.ts'
import { lettersOfColumn } from './formula/parse.ts'
import { escapeHtml } from './html-text.ts'
import { parseSheet, type Sheet } from './sheet.ts'
import { parseWidget } from './widget.ts'

export interface ComponentContext {
  /** Renders inline Markdown. */
  readonly inline: (text: string) => string
  /** All sheets of the document. */
  readonly sheets: DocumentSheets
  /** The line on which the fence begins in the document, counted from 0. */
  readonly line: number
}

const figure = (kind: string, caption: string, content: string, more = ''): string =>
  `<figure class="component component-${kind}"${more}>${caption === '' ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`}${content}</figure>\n`

/** Returns a region that may be wider than its page. The keyboard can scroll it as well. */
const scroller = (name: string, label: string, content: string): string =>
  `<div class="${name}" tabindex="0" role="group" aria-label="${escapeHtml(label)}">${content}</div>`

const lines = (texts: readonly string[], inline: ComponentContext['inline']): string => texts.map(inline).join('<br>')

const rest = (count: number, what: string): string =>
  count > 0 ? `<p class="component-rest">${count} more ${what} are not shown here.</p>` : ''

// ——— board ———

const stateWords: Readonly<Record<CardState, string>> = { open: 'To do', doing: 'In progress', done: 'Done' }

const cardHtml = (card: Card, { fence }: Board, inline: ComponentContext['inline']): string => {
  const labels = [...card.assignees, ...card.tags]
    .filter(({ from }) => from >= card.title.to)
    .toSorted((one, other) => one.from - other.from)
  const chips = labels.map(({ from, name }) => {
    const isPerson = fence.source.charAt(from) === '@'
    return ` <span class="chip${isPerson ? ' chip-person' : ''}">${isPerson ? '@' : '#'}${escapeHtml(name)}</span>`
  })
  const details = detailsOf(card)
  const below = details === '' ? '' : `<div class="card-details">${lines(details.split('\n'), inline)}</div>`
  const state = `<span class="card-state" role="img" aria-label="${stateWords[card.state]}"></span>`
  return `<li class="card card-${card.state}">${state}<div class="card-text">${inline(card.title.text)}${chips.join('')}${below}</div></li>`
}

export const boardHtml = (fence: Fence, { inline }: ComponentContext): string => {
  const board = parseBoard(fence)
  const counts = cardsShown(board, limits.boardCardsMax)
  const columns = board.columns.map(({ title, cards, notes }, index) => {
    const shown = cards.slice(0, counts[index])
    const list = shown.length === 0 ? '' : `<ul class="board-cards">${shown.map((card) => cardHtml(card, board, inline)).join('')}</ul>`
    const below = notes.slice(0, limits.boardCardsMax).map(({ line }) => `<p class="component-note">${inline(line.text.trim())}</p>`)
    const head = `<p class="board-title">${inline(title.text)} <span class="board-count">${cards.length}</span></p>`
    return `<section class="board-column">${head}${list}${rest(cards.length - shown.length, 'cards')}${below.join('')}</section>`
  })
  const notes = board.notes.slice(0, limits.boardCardsMax).map(({ line }) => line.text.trim())
  const above = notes.length === 0 ? '' : `<p class="component-note">${lines(notes, inline)}</p>`
  return figure('board', captionOf(fence, []), above + scroller('board', 'Board', columns.join('')))
}

// ——— chat ———

/** Formats times in English. Pages have no script that could find out the reader's time zone, so the text includes the zone. */
const instantWords = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short'
})

const messageHtml = ({ author, at, time, text }: Message, inline: ComponentContext['inline']): string => {
  const iso = time === undefined ? undefined : new Date(time).toISOString()
  const when = iso === undefined ? escapeHtml(at) : `<time datetime="${iso}">${instantWords.format(time)}</time>`
  return `<li class="message"><p class="message-head"><b>${escapeHtml(author)}</b> ${when}</p><div class="message-text">${lines(text.split('\n'), inline)}</div></li>`
}

export const chatHtml = (fence: Fence, { inline }: ComponentContext): string => {
  const { entries } = parseChat(fence)
  // If there are too many messages, only the newest are shown.
  const shown = entries.slice(-limits.chatMessagesMax)
  const items = shown.map((entry) => {
    if (entry.kind === 'message') return messageHtml(entry, inline)
    if (entry.kind === 'day') return `<li class="chat-day">${escapeHtml(entry.text)}</li>`
    return `<li class="component-note">${inline(entry.line.text.trim())}</li>`
  })
  return figure(
    'chat',
    captionOf(fence, []),
    `${rest(entries.length - shown.length, 'earlier messages')}<ol class="chat">${items.join('')}</ol>`
  )
}

// ——— sheet ———

const cellHtml = (sheet: Sheet, { workbook }: DocumentSheets, index: number, row: number, column: number): string => {
  const value = workbook.valueAt(index, row, column)
  const isNumber = typeof value === 'number' || value instanceof Day
  const side = sheet.sides[column] ?? (isNumber ? 'right' : undefined)
  const classes = [...(side === undefined ? [] : [side]), ...(value instanceof Failure ? ['sheet-error'] : [])].join(' ')
  const text = sheet.rows[row]?.cells[column]?.text ?? ''
  const shown = index >= 0 && text.startsWith('=') ? workbook.textAt(index, row, column) : text
  const tag = row === 0 ? 'th' : 'td'
  const reason = value instanceof Failure && value.reason !== '' ? ` title="${escapeHtml(value.reason)}"` : ''
  return `<${tag}${row === 0 ? ' scope="col"' : ''}${classes === '' ? '' : ` class="${classes}"`}${reason}>${escapeHtml(shown)}</${tag}>`
}

/** Maximum number of errors in a sheet that are listed below it. */
const errorsShownMax = 10

export const sheetHtml = (fence: Fence, { sheets, line, inline }: ComponentContext): string => {
  const index = sheets.indexOnLine(line)
  const sheet = sheets.sheets[index] ?? parseSheet(fence)
  const width = Math.min(sheet.width, limits.sheetColumnsMax)
  const shown = sheet.rows.slice(0, limits.sheetRowsMax)
  const rows = shown.map(
    (_row, row) => `<tr>${Array.from({ length: width }, (_cell, column) => cellHtml(sheet, sheets, index, row, column)).join('')}</tr>`
  )
  const notes = sheet.notes.slice(0, limits.sheetRowsMax).map((note) => `<p class="component-note">${inline(note.line.text.trim())}</p>`)
  const table = `<table><thead>${rows.slice(0, 1).join('')}</thead><tbody>${rows.slice(1).join('')}</tbody></table>`
  const errors = shown.flatMap((_row, row) =>
    Array.from({ length: width }, (_cell, column) => column).flatMap((column) => {
      const value = sheets.workbook.valueAt(index, row, column)
      return value instanceof Failure ? [`${lettersOfColumn(column)}${row + 1}: ${value.error} ${value.reason}`.trim()] : []
    })
  )
  // Errors are also listed, because a tooltip reaches only readers who point at the cell.
  const wrong = errors.slice(0, errorsShownMax).map((words) => `<p class="component-note">${escapeHtml(words)}</p>`)
  const left = rest(sheet.rows.length - shown.length, 'rows') + rest(sheet.width - width, 'columns')
  // The fence of the entire text is needed, because an id that was generated from the heading above it is no name.
  const caption = captionOf(sheets.sheets[index]?.fence ?? fence, sheets.fences)
  return figure(
    'sheet',
    caption,
    `${scroller('table sheet', caption || 'Sheet', table)}${left}${wrong.join('')}${rest(errors.length - wrong.length, 'errors')}${notes.join('')}`,
    // Widgets on the page find the sheet by this attribute.
    fence.id === undefined ? '' : ` data-sheet="${escapeHtml(fence.id)}"`
  )
}

// ——— chart ———

/** Maximum number of points for which a drawing also gets a narrow version. */
const narrowMarksMax = 200
/** Width of the narrow version, in pixels. This is about the width of a phone. */
const narrowWidth = 330

const legendHtml = ({ name, colour, isDrawn }: LegendEntry): string =>
  isDrawn
    ? `<li><span class="swatch ${colour}"></span>${escapeHtml(name)}</li>`
    : `<li><span class="swatch swatch-none"></span>${escapeHtml(name)} (${noSlice})</li>`

export const chartHtml = (fence: Fence, context: ComponentContext): string => {
  const chart = parseChart(fence)
  const rows = chartRows(chart, context.sheets)
  const data = isProblem(rows) ? rows : chartData(chart, rows)
  const caption = captionOf(fence, [], valueOf(chart, 'title'))
  const warnings = isProblem(data)
    ? []
    : data.warnings.map((warning) => `<p class="component-rest">${escapeHtml(warningText(warning))}</p>`)
  const notes = chart.notes.map((line) => `<p class="component-note">${context.inline(line.text.trim())}</p>`).join('')
  if (isProblem(data)) {
    const source = fence.lines.map(({ text }) => text).join('\n')
    return figure(
      'chart',
      caption,
      `<p class="component-note">${escapeHtml(problemText(data))}</p><pre tabindex="0"><code>${escapeHtml(source)}</code></pre>`
    )
  }
  const legend = legendOf(chart, data)
  const names = legend.map(legendHtml)
  const shown = legend.length < 2 ? '' : `<ul class="legend">${names.join('')}</ul>`
  const id = `chart:${context.line + 1}`
  const wide = scroller('chart-drawing', caption || 'Chart', chartSvg(chart, data, id))
  // Pages have no script that could redraw a chart. Narrow windows therefore get a separate drawing, unless it would be long.
  const isShort = data.labels.length * data.series.length <= narrowMarksMax
  const svg = isShort
    ? `<div class="chart-both">${wide}<div class="chart-narrow">${chartSvg(chart, data, `${id}:narrow`, narrowWidth)}</div></div>`
    : wide
  return figure('chart', caption, svg + shown + rest(data.left, 'points and series') + warnings.join('') + chartTable(chart, data) + notes)
}

// ——— widget ———

/** Shows a widget's source. A page with scripts offers to run it. */
export const widgetHtml = (fence: Fence): string => {
  const { html, title, height, state } = parseWidget(fence)
  const data = ` data-height="${height}"${state === undefined ? '' : ` data-state="${escapeHtml(state.json)}"`}`
  return figure(
    'widget',
    title || captionOf(fence, []) || 'Widget',
    `<details><summary>Code of the widget</summary><pre tabindex="0"><code>${escapeHtml(html)}</code></pre></details>`,
    data
  )
}
