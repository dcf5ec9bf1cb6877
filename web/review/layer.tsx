/** What the page of a document shows of comments, suggestions and assignments: buttons, cards beside the text, panels. */
import type { JSX } from 'preact'
import type { View } from '../document/page.tsx'
import { t, tn } from '../text/t.ts'
import { commandOf } from '../commands/all.ts'
import { tooltip } from '../commands/keys.ts'
import { Icon } from '../ui/icons.tsx'
import { isOpen } from './items.ts'
import { Margin } from './margin.tsx'
import { RemarksPanel } from './remarks-panel.tsx'
import { TasksPanel } from './tasks-panel.tsx'
import './review.css'

export function Buttons({ view }: { view: View }): JSX.Element | null {
  const review = view.review.value
  if (review === undefined) return null
  const open = review.items.value.filter((item) => isOpen(item) && item.kind !== 'composer').length
  const panel = view.panel.value
  return (
    <>
      {review.canChoose.value && (
        <button
          type='button'
          class='button quiet mode wide-only'
          aria-pressed={review.suggesting.value}
          title={tooltip(commandOf('suggesting'))}
          onClick={review.toggleSuggesting}
        >
          <Icon name='pen-line' size={18} />
          <span>{t('Suggest')}</span>
        </button>
      )}
      <button
        type='button'
        class='button quiet mode remarks-button'
        aria-pressed={panel === 'remarks'}
        aria-label={open === 0 ? t('Comments') : tn(open, 'Comments: 1 open', 'Comments: {count} open')}
        title={tooltip(commandOf('panel.remarks'))}
        onClick={() => (view.panel.value = panel === 'remarks' ? undefined : 'remarks')}
      >
        <Icon name='message' size={18} />
        {open > 0 && <span class='count tabular'>{open > 99 ? '99+' : open}</span>}
      </button>
    </>
  )
}

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
