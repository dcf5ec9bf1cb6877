/** Ties a component to the page: what it may do, what others do, and how its edits come into the text. */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { includesRole } from '../../shared/roles.ts'
import type { View } from '../document/page.tsx'
import { t } from '../text/t.ts'
import { actOn } from './act.ts'
import { holdsOf } from './holds.ts'
import type { ComponentInput } from './input.ts'

interface Place {
  readonly page: View
  readonly fence: ReadonlySignal<Fence>
  /** How others name the fence (holds.ts). */
  readonly name: ReadonlySignal<string>
  /** The fence in what the editor shows now; undefined when it is gone. */
  fresh(): Fence | undefined
  leave(side: 'before' | 'behind'): void
}

const reasonOf = ({ canType, session }: View): string | undefined => {
  if (canType.value) return undefined
  if (session.link.ended.value !== undefined) return t('Nothing can be changed here any more.')
  return includesRole(session.role.value, 'comment')
    ? t('You may comment, but not change this.')
    : t('You may view this, but not change it.')
}

export function inputFor({ page, fence, name, fresh, leave }: Place): ComponentInput {
  const holds = holdsOf(page.session.link.awareness)
  return {
    page,
    fence,
    refusal: computed(() => reasonOf(page)),
    held: computed(() => holds.all.value.get(name.value) ?? new Map()),
    said: signal(''),
    act(edits) {
      const view = page.editor.value?.view
      const now = fresh()
      if (view === undefined || now === undefined) return false
      return actOn(view, now, edits(now), page.review.peek()?.suggesting.peek() === true)
    },
    hold: (item) => holds.take(name.peek(), item),
    openSource(offset = 0) {
      const view = page.editor.value?.view
      const now = fresh()
      if (view === undefined || now === undefined) return
      const wasReading = page.mode.peek() === 'read'
      if (wasReading) page.setMode('live')
      // A cursor within a fence shows its source.
      view.dispatch({ selection: { anchor: now.bodyFrom + offset }, scrollIntoView: true })
      if (!wasReading) view.focus()
    },
    leave
  }
}
