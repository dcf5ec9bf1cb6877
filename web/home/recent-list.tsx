/** A list of documents on the home page. */
import type { ComponentChildren, JSX } from 'preact'

interface RecentListInput<Entry> {
  readonly entries: readonly Entry[]
  /** Shown if there are no entries. */
  readonly empty: string
  readonly row: (entry: Entry) => ComponentChildren
}

export const RecentList = <Entry,>({ entries, empty, row }: RecentListInput<Entry>): JSX.Element =>
  entries.length === 0 ? <p class='empty'>{empty}</p> : <ul class='recents'>{entries.map(row)}</ul>
