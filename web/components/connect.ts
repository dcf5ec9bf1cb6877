/** Connects a component to the page: the person's rights, changes by others, and the component's edits to the text. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { documentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { includesRole } from '../../shared/roles.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { actOn, actUnasked, asOne } from './act.ts'
import { holdsOf } from './holds.ts'
import type { ComponentInput } from './input.ts'
import { labelOf } from './labels.ts'
import { createNotices, noticeMs, offerUndo } from './notices.ts'
import { drawnPart, rangeOfPart } from './part-range.ts'
import { sheetsAround } from './sheets-around.ts'

const noSheets = documentSheets([], 0)

/** A fence, and the entire text that it was read from. */
export interface Now {
  readonly fence: Fence
  readonly all: readonly Fence[]
}

export interface FenceContext {
  readonly page: ReviewedView
  readonly fence: ReadonlySignal<Fence>
  /** All fences of the text, read at the same time as `fence`. */
  readonly fences: ReadonlySignal<readonly Fence[]>
  /** The name by which other pages know the fence (fence-names.ts). */
  readonly name: ReadonlySignal<string>
  /** Returns the fence in the current text of the editor; undefined if it no longer exists. */
  fresh(): Now | undefined
  /** Returns how far the fence has moved in the text of the editor since `fence` was read. Undefined in the reading view. */
  readonly movedBy?: () => number
  /** Set when the first part of the component should open for editing. */
  readonly begins: Signal<boolean>
  leave(side: 'before' | 'behind'): void
  /** Brings another fence of `fences` into view; returns false if it is not drawn. */
  show(fence: Fence): boolean
}

const isSheet = ({ kind }: Fence): boolean => kind === 'sheet'

const reasonOf = ({ canType, session }: ReviewedView): string | undefined => {
  if (canType.value) return undefined
  if (session.link.ended.value !== undefined) return t('This can no longer be changed.')
  return includesRole(session.role.value, 'comment') ? t('You can comment but not edit this.') : t('You can view but not edit this.')
}

export function inputFor({ page, fence, fences, name, fresh, begins, leave, show }: FenceContext): ComponentInput {
  const holds = holdsOf(page.session.link.awareness)
  // Changes only when the text of a sheet changes, so that sheets are not recomputed after edits elsewhere.
  const written = computed(() =>
    fences.value
      .filter(isSheet)
      .map(({ source, from, to }) => source.slice(from, to))
      .join('\n')
  )
  const said = signal('')
  const { tell, dropOnceUndone } = createNotices(fence, said)
  const suggests = (): boolean => page.review.peek()?.suggesting.peek() === true
  return {
    page,
    fence,
    suggests,
    around: sheetsAround(fences),
    show,
    sheets: computed(() => (written.value === '' ? noSheets : documentSheets(fences.peek(), Date.now()))),
    sheetIndex: computed(() => fences.value.filter(isSheet).findIndex(({ from }) => from === fence.value.from)),
    label: computed(() => labelOf(fence.value, fences.value)),
    refusal: computed(() => reasonOf(page)),
    held: computed(() => holds.all.value.get(name.value) ?? new Map()),
    selected: computed(() => holds.selected.value.get(name.value) ?? new Map()),
    said,
    begins,
    wantsTitle: signal(false),
    control: signal(undefined),
    act(edits, by = 'person') {
      const view = page.editor.value?.view
      const review = suggests() ? page.review.peek() : undefined
      // Text that was typed earlier becomes a suggestion first, so that the offsets of the edit match the text in the editor.
      review?.settle()
      const now = fresh()
      if (view === undefined || now === undefined) return false
      const wanted = edits(now.fence, now.all)
      if (wanted.length === 0) return false
      if (review !== undefined) {
        const edit = asOne(now.fence.source, wanted)
        const before = view.state.doc
        const takeBack = review.suggest(edit)
        if (takeBack === undefined) return false
        const suggested = (words?: string): void =>
          tell(
            () => (words === undefined ? t('Suggested') : t('Suggested: {what}', { what: words })),
            (text) => toast(text, { name: t('Withdraw'), run: takeBack, milliseconds: noticeMs })
          )
        // The module that describes component changes contains all kinds, so it loads only when it is needed.
        import('../review/suggestions/change-words.ts').then(
          ({ wordsOfEdit }) => suggested(wordsOfEdit(before, edit)),
          () => suggested()
        )
        return true
      }
      const done = by === 'page' ? actUnasked(view, wanted) : actOn(view, wanted)
      if (done && by === 'person') dropOnceUndone(now.fence)
      if (done && by === 'person' && page.mode.peek() === 'read')
        tell(
          () => said.peek() || t('Changed'),
          (text) => offerUndo(view, text)
        )
      return done
    },
    focused(element) {
      page.focusedPart.value = {
        component: fence,
        range() {
          const now = fresh()?.fence
          return now && rangeOfPart(now, element.isConnected ? drawnPart(element) : {})
        }
      }
    },
    hold: (item) => holds.take(name.peek(), item),
    select: (cell) => holds.select(name.peek(), cell),
    openSource(offset = 0) {
      page.unfinished.get(fence)?.()
      const view = page.editor.value?.view
      const now = fresh()
      if (view === undefined || now === undefined) return
      const wasReading = page.mode.peek() === 'read'
      if (wasReading) page.setMode('live')
      // A caret inside a fence makes its source visible.
      view.dispatch({ selection: { anchor: now.fence.bodyFrom + offset }, scrollIntoView: true })
      if (!wasReading) view.focus()
    },
    leave
  }
}
