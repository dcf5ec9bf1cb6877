/** The part of the account page that shows a person's compute nodes. Its forms work without scripts. */
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Output } from '../../shared/operations/index.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { listNodes } from '../domain/media/compute-nodes.ts'
import type { Service } from '../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from './html.ts'
import type { Words } from './words.ts'

type Node = Output<'listNodes'>['nodes'][number]

const seenOf = (words: Words, { connected, lastSeenAt }: Node, now: number): Markup => {
  const { t } = words
  if (connected) return html`<span class="tag">${t('Connected')}</span>`
  if (lastSeenAt === null) return html`<span>${t('Never connected')}</span>`
  return html`<span>${filled(t('Last connected {when}'), { when: timeOf(words, Date.parse(lastSeenAt), now) })}</span>`
}

const row = (words: Words, node: Node, token: string, now: number): Markup => html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(node.name)}</span>${node.shared ? html`<span class="tag">${words.t('For everyone')}</span>` : undefined}</span>
<span class="muted entry-about">${seenOf(words, node, now)}</span>
<form method="post" action="/account/end-node"><input type="hidden" name="token" value="${token}"><input type="hidden" name="node" value="${node.id}">
<button class="button quiet" aria-label="${words.t('Revoke the token for {name}', { name: plainName(node.name, limits.labelUnitsMax) })}">${words.t('Revoke')}</button></form>
</li>`

export const nodeSection = async (words: Words, service: Service, caller: Caller, token: string): Promise<Markup> => {
  const { t } = words
  const { nodes } = await listNodes(service, caller)
  const form = html`<form class="line-form" method="post" action="/account/nodes"><input type="hidden" name="token" value="${token}">
<label class="field grow"><span>${t('Name of the computer')}</span><input type="text" name="name" maxlength="${String(limits.mediaNameUnitsMax)}" autocomplete="off"></label>
<button class="button">${t('Create token')}</button></form>`
  // Few people have a node. Everybody else sees a line that avoids the term.
  if (nodes.length === 0)
    return html`
<details class="fold"><summary>${t('Use your own computer for pictures and speech')}</summary>
<p class="muted">${t('Your computer generates pictures and speech, transcribes recordings and reads text from pictures in your documents.')}</p>
${form}
</details>`
  return html`
<section aria-labelledby="nodes">
<div class="section-head"><h2 id="nodes">${t('Compute nodes')}</h2></div>
<ul class="entries">${nodes.map((node) => row(words, node, token, service.clock.now()))}</ul>
${form}
</section>`
}

/** The page with the token of a new compute node and its instructions. It is shown only once. */
export const newNodePage = ({ t }: Words, baseUrl: string, { node, token }: Output<'createNode'>): Markup => html`
<p>${filled(
  node.shared
    ? t('Run this command on {name}. The token is shown only once. Anyone who has it receives everyone’s media jobs and their content.')
    : t('Run this command on {name}. The token is shown only once. Anyone who has it receives your media jobs and their content.'),
  { name: html`<strong>${named(node.name)}</strong>` }
)}</p>
<div class="notice"><p><code>AGMD_URL=${baseUrl} AGMD_NODE_TOKEN=${token} agmd node</code></p></div>
<p class="actions"><a class="button primary" href="/account">${t('Back to your account')}</a></p>`
