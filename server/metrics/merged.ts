/** Combines the metrics from the processes of one server. Each sample gets its process number as a label. */

export interface MetricsOfProcess {
  /** The process number, from 1. */
  readonly process: number
  /** Metrics in the Prometheus text format. */
  readonly text: string
}

/** Adds the process number to a sample: `name value`, or `name{labels} value`. */
const labelled = (line: string, process: number): string => {
  const label = `process="${process}"`
  const brace = line.indexOf('{')
  const space = line.indexOf(' ')
  if (brace >= 0 && brace < space) return `${line.slice(0, brace)}{${label},${line.slice(brace + 1)}`
  return `${line.slice(0, space)}{${label}}${line.slice(space)}`
}

/** Returns one text with the metrics of all processes. All samples for a metric are together, as the format requires. */
export const mergeMetrics = (texts: readonly MetricsOfProcess[]): string => {
  const metrics = new Map<string, { readonly head: string[]; readonly samples: string[] }>()
  for (const { process, text } of texts) {
    let samples: string[] = []
    let head: string[] | undefined
    for (const line of text.split('\n')) {
      const named = /^# (HELP|TYPE) (\S+)/.exec(line)
      if (named !== null) {
        const [, , name = ''] = named
        const known = metrics.get(name)
        if (known === undefined) metrics.set(name, { head: (head = []), samples: (samples = []) })
        else {
          samples = known.samples
          if (known.head !== head) head = undefined
        }
        head?.push(line)
      } else if (line !== '') samples.push(labelled(line, process))
    }
  }
  return [...metrics.values()].map(({ head, samples }) => [...head, ...samples, ''].join('\n')).join('\n')
}
