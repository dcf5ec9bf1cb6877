/**
 * Stores the annotations of a document on this device, next to its text, and shows them until the service sends its own. It does so only for the link
 * that the device stores. Annotations of a removed document therefore do not return, and annotations that are visible through one link are not shown
 * through another.
 */
import { effect } from '@preact/signals'
import { locate, placesOf, type Quoted } from '../../../shared/text/characters.ts'
import { findRecent } from '../../device/recent.ts'
import { storedLists } from '../outbox/last-seen.ts'
import { storedRangesIn } from '../suggestions/annotation-ranges.ts'
import type { State } from './state.ts'

/** Shortest time between two writes of the lists, in milliseconds. */
const writeMs = 1000

/** Starts storing and showing annotations. Returns a function that stops both. */
export function storeAnnotations({ page: { session }, editor: { view }, store, positions }: State): () => void {
  const { id, key, text } = session
  const mayStore = (): boolean => findRecent(id)?.key === key
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  const show = async (): Promise<void> => {
    const [kept] = await Promise.all([storedLists.find(id), session.keep.ready])
    if (kept === undefined || closed || store.state.peek() === 'ready' || !mayStore()) return
    const ranges = locate(
      text,
      text.toString(),
      kept.places.map(([, quoted]) => quoted)
    )
    kept.places.forEach(([annotation], index) => {
      const range = ranges[index]
      if (range !== undefined) positions.made(annotation, range)
    })
    // Positions in earlier text do not apply to the current text.
    const { comments, suggestions, tasks } = kept.lists
    store.offer(
      {
        comments: comments.map((comment) => ({ ...comment, anchor: null })),
        suggestions: suggestions.map((suggestion) => ({ ...suggestion, from: null, to: null })),
        tasks
      },
      kept.at
    )
  }

  const write = (): void => {
    timer = undefined
    if (!mayStore()) return
    const content = text.toString()
    const spans = [...storedRangesIn(view.state)].map(([annotation, { from, to }]) => ({ annotation, from, to }))
    const places = placesOf(text, content, spans).map((place, index): [string, Quoted] => {
      const { annotation, from, to } = spans[index] as (typeof spans)[number]
      return [annotation, { place, quote: content.slice(from, to) }]
    })
    const { tasks, ...lists } = store.lists.peek()
    // The links of assignments are not stored, because they are secrets and useless without a connection.
    void storedLists.put({
      id,
      doc: id,
      at: Date.now(),
      lists: { ...lists, tasks: tasks.map(({ share: _share, ...task }) => task) },
      places
    })
  }

  void show()
  const stop = effect(() => {
    void store.lists.value
    if (store.state.value === 'ready') timer ??= setTimeout(write, writeMs)
  })
  return () => {
    closed = true
    stop()
    clearTimeout(timer)
  }
}
