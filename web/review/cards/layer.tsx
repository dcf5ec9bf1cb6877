/** The parts of a document's page for comments, suggestions and assignments: the cards next to the text, and the panels. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Later } from '../../view/later.tsx'
import type { ReviewedView } from '../annotations/review.ts'
import { Margin } from './margin.tsx'

const loadPanel = async () => (await import('./annotations-panel.tsx')).AnnotationsPanel
const loadTasks = async () => (await import('./tasks-panel.tsx')).TasksPanel

export function Layer({ view }: { view: ReviewedView }): JSX.Element | null {
  const review = view.review.value
  // The panel is then there when the person opens it, even without a connection.
  useEffect(() => void loadPanel().catch(() => undefined), [])
  if (review === undefined) return null
  return (
    <>
      {review.hasMargin.value && review.wantsMargin.value === true && <Margin review={review} />}
      {view.panel.value === 'annotations' && <Later load={loadPanel} view={view} />}
      {view.panel.value === 'tasks' && <Later load={loadTasks} view={view} />}
      <div class='sr-only' role='status'>
        {review.store.said.value}
      </div>
    </>
  )
}
