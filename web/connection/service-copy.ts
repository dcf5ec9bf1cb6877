/**
 * Makes the document of a page equal to that of the service. A page that may only suggest can still contain changes that the service refused, because
 * they were typed just before the role was lowered, or without a connection.
 */
import { HocuspocusProvider } from '@hocuspocus/provider'
import * as Y from 'yjs'
import { textRootName } from '../../shared/names.ts'
import { pageClientId } from '../../shared/text/client-ids.ts'
import { socketUrl } from './link.ts'

interface CopyInput {
  readonly id: string
  readonly key: string
  readonly doc: Y.Doc
  /** Called once, when `copy` contains everything that the service has and that `doc` has received from it. */
  readonly onCopy: (copy: Y.Doc) => void
}

/** Reads the document of the service over a connection of its own. Returns a function that stops this. */
export function readServiceCopy({ id, key, doc, onCopy }: CopyInput): () => void {
  const copy = new Y.Doc()
  // A change by others may arrive here earlier than over the other connection.
  const hear = (update: Uint8Array, _origin: unknown, _doc: Y.Doc, { local }: Y.Transaction): void => {
    if (!local) Y.applyUpdate(copy, update)
  }
  const stop = (): void => {
    doc.off('update', hear)
    provider.destroy()
  }
  const provider = new HocuspocusProvider({
    name: id,
    url: socketUrl(id),
    document: copy,
    token: key,
    awareness: null,
    onSynced: () => {
      stop()
      onCopy(copy)
    }
  })
  doc.on('update', hear)
  return stop
}

/**
 * Replaces the contents of a document by those of a copy, whose text is the same but consists of the characters of the service. Listeners are not
 * called. The copy must not be used afterward.
 */
export function takeOver(doc: Y.Doc, copy: Y.Doc): void {
  const [text, other] = [doc.getText(textRootName), copy.getText(textRootName)]
  for (const structs of copy.store.clients.values())
    for (const struct of structs) if (struct instanceof Y.Item && struct.parent === other) struct.parent = text
  doc.store = copy.store
  text._start = other._start
  text._length = other._length
  text._map = other._map
  text._searchMarker = []
  // The refused changes had the former id, and later ones must not be taken for them.
  doc.clientID = pageClientId()
}
