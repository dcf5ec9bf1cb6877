/** Messages between the pages of this device about changes to a document's outbox. */
const nameOf = (doc: string): string => `agmd-outbox:${doc}`

/** Calls `changed` when another page reports a change. Returns functions that inform the others and that stop this. */
export function followChanges(doc: string, changed: (isCarried: boolean) => void): { tell(): void; stop(): void } {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.addEventListener('message', ({ data }) => changed(data === 'carried'))
  return { tell: () => channel.postMessage('changed'), stop: () => channel.close() }
}

/** Informs all pages, including this one, that there are entries without a page. */
export function carriedTo(doc: string): void {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.postMessage('carried')
  channel.close()
}
