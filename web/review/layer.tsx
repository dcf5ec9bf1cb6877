/** What the page of a document shows of comments, suggestions and assignments: cards beside the text, panels. */
import type { JSX } from 'preact'
import type { View } from '../document/page.tsx'
import { Margin } from './margin.tsx'
import { RemarksPanel } from './remarks-panel.tsx'
import { TasksPanel } from './tasks-panel.tsx'

export function Layer({ view }: { view: View }): JSX.Element | null {
  const review = view.review.value
  if (review === undefined) return null
  const close = (): void => {
    view.panel.value = undefined
  }
  return (
    <>
      {review.hasMargin.value && review.wantsMargin.value === true && <Margin review={review} />}
      {view.panel.value === 'remarks' && <RemarksPanel review={review} onClose={close} />}
      {view.panel.value === 'tasks' && <TasksPanel review={review} onClose={close} />}
      <div class='sr-only' role='status'>
        {review.store.said.value}
      </div>
    </>
  )
}
