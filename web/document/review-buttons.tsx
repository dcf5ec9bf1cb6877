/** The buttons for comments and suggesting in the top bar. They are visible from the start, so that nothing moves when their code has loaded. */
import type { JSX } from 'preact'
import { commandOf } from '../commands/all.ts'
import { tooltip } from '../commands/keys.ts'
import { t, tn } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import type { Page } from '../commands/page.ts'

export function ReviewButtons({ view }: { view: Page }): JSX.Element {
  const review = view.review.value
  const canChoose = review?.canChoose.value ?? view.session.canEdit.value
  const open = review?.open.value ?? 0
  const panel = view.panel.value
  return (
    <>
      {canChoose && (
        <button
          type='button'
          class='button quiet mode wide-only'
          aria-pressed={review?.suggesting.value ?? view.parts.proposed}
          title={tooltip(commandOf('suggesting'))}
          onClick={() => commandOf('suggesting').run(view)}
        >
          <Icon name='pen-line' size={18} />
          <span>{t('Suggest')}</span>
        </button>
      )}
      <button
        type='button'
        class='button quiet mode annotations-button'
        aria-pressed={panel === 'annotations'}
        aria-label={open === 0 ? t('Comments') : tn(open, 'Comments: 1 open', 'Comments: {count} open')}
        title={tooltip(commandOf('panel.annotations'))}
        onClick={() => commandOf('panel.annotations').run(view)}
      >
        <Icon name='message' size={18} />
        {open > 0 && <span class='count tabular'>{open > 99 ? '99+' : open}</span>}
      </button>
    </>
  )
}
