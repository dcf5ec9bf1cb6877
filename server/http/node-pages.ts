/** The compute nodes of a person on the account page. Forms; no script. */
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Output } from '../../shared/operations/index.ts'
import type { Caller } from '../domain/caller.ts'
import { listNodes } from '../domain/nodes.ts'
import type { Service } from '../domain/service.ts'
import { html, type Markup, named, timeOf } from './html.ts'

type Node = Output<'listNodes'>['nodes'][number]

const seenOf = ({ connected, lastSeenAt }: Node, now: number): Markup => {
  if (connected) return html`<span class="tag">connected</span>`
  return lastSeenAt === null ? html`<span>never connected</span>` : html`<span>connected ${timeOf(Date.parse(lastSeenAt), now)}</span>`
}

const row = (node: Node, token: string, now: number): Markup => html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(node.name)}</span>${node.shared ? html`<span class="tag">for everybody</span>` : undefined}</span>
<span class="muted entry-about">${seenOf(node, now)}</span>
<form method="post" action="/account/end-node"><input type="hidden" name="token" value="${token}"><input type="hidden" name="node" value="${node.id}">
<button class="button quiet" aria-label="Revoke the token of ${plainName(node.name, limits.labelCharsMax)}">Revoke</button></form>
</li>`

export const nodeSection = async (service: Service, caller: Caller, token: string): Promise<Markup> => {
  const { nodes } = await listNodes(service, caller)
  return html`
<section aria-labelledby="nodes">
<div class="section-head"><h2 id="nodes">Compute nodes</h2></div>
${
  nodes.length === 0
    ? html`<p class="muted">A machine of yours can make pictures and speech, write down recordings and read text in pictures: for your documents.</p>`
    : html`<ul class="entries">${nodes.map((node) => row(node, token, service.clock.now()))}</ul>`
}
<form class="find" method="post" action="/account/nodes"><input type="hidden" name="token" value="${token}">
<label class="field grow"><span>Name of the machine</span><input name="name" maxlength="${String(limits.mediaNameCharsMax)}" autocomplete="off"></label>
<button class="button">Make a token</button></form>
</section>`
}

/** What is shown once: the token, and what to do with it. */
export const newNodePage = (baseUrl: string, { node, token }: Output<'createNode'>): Markup => html`
<p>This is the token of “${named(node.name)}”. It is shown only now; whoever has it is given ${
  node.shared ? 'the jobs of everybody' : 'your media jobs'
}, with what is in them.</p>
<pre><code>AGMD_URL=${baseUrl} AGMD_NODE_TOKEN=${token} agmd node</code></pre>
<p class="actions"><a class="button primary" href="/account">Back</a></p>`
