/** Notifies the other tabs of this browser of changes to a document's outbox. */
const nameOf = (doc: string): string => `agmd-outbox:${doc}`

/** Calls `changed` when another tab reports a change. `tell` reports a change to the other tabs, and `stop` ends the listening. */
export function followChanges(doc: string, changed: (isCarried: boolean) => void): { tell(): void; stop(): void } {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.addEventListener('message', ({ data }) => changed(data === 'carried'))
  return { tell: () => channel.postMessage('changed'), stop: () => channel.close() }
}

/** Notifies all tabs, including this one, that the outbox has entries that belong to no open page. */
export function carriedTo(doc: string): void {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.postMessage('carried')
  channel.close()
}
