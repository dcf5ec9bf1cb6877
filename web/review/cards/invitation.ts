/** The link of an assignment leads to the assignment: its panel is open when the page opens, until the reviewer has reported. */
import { effect, untracked } from '@preact/signals'
import type { View } from '../../view/view.ts'

import type { Task } from '../outbox/records.ts'
import type { Store } from '../outbox/store.ts'

/** Whether this link was made for an assignment that is not reported yet. The service reveals the link only to its holder. */
export const isInvited = (tasks: readonly Task[], isOwner: boolean): boolean =>
  !isOwner && tasks.some(({ share, status }) => share !== undefined && (status === 'open' || status === 'started'))

/** Opens the panel once, when the assignments are loaded, unless another one is open by then. */
export function showInvitation(
  { panel }: Pick<View, 'panel'>,
  { state, tasks, isOwner }: Pick<Store, 'state' | 'tasks' | 'isOwner'>
): () => void {
  let shown = false
  return effect(() => {
    if (shown || state.value !== 'ready') return
    shown = true
    untracked(() => {
      if (panel.value === undefined && isInvited(tasks.value, isOwner.value)) panel.value = 'tasks'
    })
  })
}
