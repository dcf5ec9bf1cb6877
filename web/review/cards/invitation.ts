/** The link of an assignment opens the panel with the assignment, as long as the reviewer has not reported. */
import { effect, untracked } from '@preact/signals'
import type { View } from '../../view/view.ts'

import type { Task } from '../outbox/records.ts'
import type { Store } from '../outbox/store.ts'

/** Whether this link was made for an assignment that has not been reported. The service reveals the link only to its holder. */
export const isInvited = (tasks: readonly Task[], isOwner: boolean): boolean =>
  !isOwner && tasks.some(({ share, status }) => share !== undefined && (status === 'open' || status === 'started'))

/** Opens the panel once, when the assignments have loaded, unless another panel is already open. */
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
