/** The script for published pages with widgets. It runs a widget when a reader asks for it. Without it, the page shows the source of the widgets. */
import { runWidget, type RunningWidget } from '../components/widget-host.ts'

const stateOf = (json: string | undefined): unknown => {
  try {
    return json === undefined ? null : JSON.parse(json)
  } catch {
    return null
  }
}

/** Returns the displayed cells of a sheet on the page. Undefined if there is no such sheet. */
function rowsOf(id: string): string[][] | undefined {
  const sheets = [...document.querySelectorAll<HTMLElement>('figure.component-sheet')]
  const rows = sheets.find(({ dataset }) => dataset['sheet'] === id)?.querySelectorAll('tr')
  return rows && [...rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent))
}

function offer(figure: HTMLElement): void {
  const code = figure.querySelector('details')
  const source = code?.querySelector('pre')
  if (code == null || source == null) return
  const title = figure.querySelector('figcaption')?.textContent ?? 'Widget'
  let running: RunningWidget | undefined
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'widget-run'
  const note = document.createElement('p')
  note.className = 'component-note'
  note.setAttribute('role', 'status')
  const label = (): void => {
    button.textContent = running === undefined ? 'Run this widget' : 'Stop'
    button.setAttribute('aria-label', `${button.textContent}: ${title}`)
  }
  const stop = (): void => {
    running?.element.before(code)
    running?.stop()
    running = undefined
    label()
  }
  button.addEventListener('click', () => {
    if (running !== undefined) return stop()
    const { height, state } = figure.dataset
    running = runWidget({
      html: source.textContent ?? '',
      title,
      height: Number(height),
      state: stateOf(state),
      // Readers cannot change the state of a widget.
      onState() {
        note.textContent ||= 'Changes made here are not saved.'
      },
      dataOf: (sheet) => rowsOf(sheet.replace(/^#/, '')),
      onFault(fault, message) {
        note.textContent =
          fault === 'error'
            ? `The widget failed: ${message}`
            : fault === 'left'
              ? 'The widget was stopped because it tried to open another page or stopped responding.'
              : 'The widget was stopped because it sent too many messages.'
        if (fault !== 'error') stop()
      }
    })
    note.textContent = ''
    code.replaceWith(running.element)
    return label()
  })
  label()
  code.before(button, note)
}

for (const figure of document.querySelectorAll<HTMLElement>('figure.component-widget')) offer(figure)
