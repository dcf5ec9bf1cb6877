/** The parts of a document's page for comments, suggestions and assignments: the cards next to the text, and the panels. */
import type { JSX } from 'preact'
import { Later } from '../../view/later.tsx'
import type { ReviewedView } from '../annotations/review.ts'
import { Margin } from './margin.tsx'
import { AnnotationsPanel } from './annotations-panel.tsx'

const loadTasks = async () => (await import('./tasks-panel.tsx')).TasksPanel

export function Layer({ view }: { view: ReviewedView }): JSX.Element | null {
  const review = view.review.value
  if (review === undefined) return null
  return (
    <>
      {review.hasMargin.value && review.wantsMargin.value === true && <Margin review={review} />}
      {view.panel.value === 'annotations' && <AnnotationsPanel review={review} onClose={() => (view.panel.value = undefined)} />}
      {view.panel.value === 'tasks' && <Later load={loadTasks} view={view} />}
      <div class='sr-only' role='status'>
        {review.store.said.value}
      </div>
    </>
  )
}
