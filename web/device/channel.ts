/** How the pages of this device tell each other that the outbox of a document changed. */
const nameOf = (doc: string): string => `agmd-outbox:${doc}`

/** Calls `changed` when another page says so. Answers how to tell the others, and how to stop. */
export function followChanges(doc: string, changed: (isCarried: boolean) => void): { tell(): void; stop(): void } {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.addEventListener('message', ({ data }) => changed(data === 'carried'))
  return { tell: () => channel.postMessage('changed'), stop: () => channel.close() }
}

/** Tells all pages, this one too, that there are entries that no page has. */
export function carriedTo(doc: string): void {
  const channel = new BroadcastChannel(nameOf(doc))
  channel.postMessage('carried')
  channel.close()
}
