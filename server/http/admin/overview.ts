/** `/admin`: load and storage over time, and the owners that use the most storage. */
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import { listLoad, type LoadSample } from '../../domain/operator/load.ts'
import { readUsage, type UsageOf } from '../../domain/operator/usage.ts'
import type { Service } from '../../domain/service.ts'
import { html, type Markup, named } from '../html.ts'
import type { Words } from '../words.ts'
import { chart } from './charts.ts'
import { bytesText, navigation } from './page.ts'

const dayMs = 24 * 3600_000

/** The periods that the charts can show, in days. */
const periods = { day: { title: term('Last day'), days: 1 }, month: { title: term('Last month'), days: limits.loadDays } } as const

const charts = (words: Words, samples: readonly LoadSample[], from: number, to: number): Markup => {
  const { t, language } = words
  const draw = (title: string, valueOf: (sample: LoadSample) => number | null, shown: (value: number) => string): Markup => {
    const points = samples.flatMap((sample) => {
      const value = valueOf(sample)
      return value === null ? [] : [{ at: sample.at, value }]
    })
    const about = (last: string, most: string): string => t('{title}: {last} now, at most {most}', { title, last, most })
    const gapMs = 3 * limits.loadMinutes * 60_000
    return chart({
      title,
      points,
      from,
      to,
      gapMs,
      words: shown,
      about,
      empty: t('No data yet. The server takes a sample every 10 minutes.')
    })
  }
  const number = (value: number): string => value.toLocaleString(language)
  const bytes = (value: number): string => bytesText(words, value)
  return html`<div class="stats">
${draw(t('People connected'), ({ people }) => people, number)}
${draw(t('Documents in memory'), ({ documents }) => documents, number)}
${draw(t('Store on disk'), ({ storeBytes }) => storeBytes, bytes)}
${draw(t('Files on disk'), ({ assetBytes }) => assetBytes, bytes)}
</div>`
}

const ownerOf = ({ t }: Words, { kind, id, email }: UsageOf): Markup => {
  if (kind === 'account')
    return html`<a class="entry-link" href="/admin/person?id=${encodeURIComponent(id)}"><span class="entry-title">${named(email ?? id)}</span></a>`
  return html`<span class="entry-link"><span class="entry-title">${kind === 'agent' ? named(id) : t('Documents without an owner, from one address')}</span></span>`
}

const usageRow = (words: Words, owner: UsageOf): Markup => html`
<li class="entry">${ownerOf(words, owner)}<span class="muted entry-about"><span>${words.tn(owner.documents, '1 document', '{count} documents')}</span> <span>${bytesText(words, owner.bytes)}</span></span></li>`

export const overviewPage = async (words: Words, service: Service, query: URLSearchParams): Promise<Markup> => {
  const { t, tn } = words
  const period = query.get('period') === 'month' ? 'month' : 'day'
  const to = service.clock.now()
  const from = to - periods[period].days * dayMs
  const [samples, usage] = await Promise.all([listLoad(service, from), readUsage(service, 10)])
  const choices = Object.entries(periods).map(
    ([name, { title }]) =>
      html`<a class="button quiet" href="/admin?period=${name}"${name === period ? html` aria-current="true"` : undefined}>${t(title)}</a>`
  )
  return html`${navigation(words, '/admin')}
<section aria-labelledby="load"><div class="section-head"><h2 id="load">${t('Load and storage')}</h2><span class="actions">${choices}</span></div>
${charts(words, samples, from, to)}</section>
<section aria-labelledby="usage"><div class="section-head"><h2 id="usage">${t('Owners with the most storage')}</h2></div>
<p class="muted">${tn(usage.documents, '1 document', '{count} documents')}, ${bytesText(words, usage.bytes)} ${t('without files')}</p>
${usage.owners.length === 0 ? undefined : html`<ul class="entries">${usage.owners.map((owner) => usageRow(words, owner))}</ul>`}</section>`
}
