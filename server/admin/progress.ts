/** Shows a command's progress on standard error: on a terminal as a bar with the rate and remaining time, otherwise as lines of JSON. */

/** The state of one phase of a command. */
export interface Progress {
  /** A word such as `copying`. */
  readonly phase: string
  /** The completed amount, in `unit`. */
  readonly done: number
  /** The total amount, in `unit`. If it is an estimate, `done` can exceed it. */
  readonly total: number
  /** A plural noun, such as `records`. `bytes` are shown as MiB. */
  readonly unit: string
}

export type OnProgress = (progress: Progress) => void

const barWidth = 30
const mebibyte = 1024 * 1024
const terminalMs = 100
const linesMs = 1000

const amount = (value: number, unit: string): string =>
  unit === 'bytes' ? `${(value / mebibyte).toFixed(1)} MiB` : `${Math.round(value)} ${unit}`

/** Returns a duration such as `1:05`, in minutes and seconds. */
const durationOf = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const barOf = ({ phase, done, total, unit }: Progress, seconds: number): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.')
  const rate = seconds > 0 ? done / seconds : 0
  const left = rate > 0 && share < 1 ? `  ${durationOf((total - done) / rate)} left` : ''
  return `${phase.padEnd(9)} [${bar}] ${Math.floor(share * 100)} %  ${amount(done, unit)} of ${amount(total, unit)}  ${amount(rate, unit)}/s${left}`
}

const lineOf = ({ phase, done, total, unit }: Progress, seconds: number): string => {
  const rate = seconds > 0 ? Math.round(done / seconds) : 0
  const secondsLeft = rate > 0 ? Math.ceil(Math.max(0, total - done) / rate) : null
  return JSON.stringify({ phase, done, total, unit, perSecond: rate, secondsLeft })
}

/** Returns a function that shows progress several times a second on a terminal, and otherwise once a second. It always shows the end of a phase. */
export const createProgress = (write: (text: string) => void, isTerminal: boolean): OnProgress => {
  let phase = ''
  let startedAt = 0
  let nextAt = 0
  return (progress) => {
    const now = performance.now()
    if (progress.phase !== phase) [phase, startedAt, nextAt] = [progress.phase, now, 0]
    const complete = progress.done >= progress.total
    if (now < nextAt && !complete) return
    nextAt = now + (isTerminal ? terminalMs : linesMs)
    const seconds = (now - startedAt) / 1000
    // The escape sequence erases the rest of the line, because the previous text may have been longer.
    write(isTerminal ? `\r\u001B[K${barOf(progress, seconds)}${complete ? '\n' : ''}` : `${lineOf(progress, seconds)}\n`)
  }
}

/** Returns a function that shows progress on standard error. With `json`, it writes lines of JSON even on a terminal. */
export const progressOnStderr = (json: boolean): OnProgress =>
  createProgress((text) => void process.stderr.write(text), process.stderr.isTTY && !json)
