/** Whether typing proposes, who may choose, and what becomes of that which was typed. */
import { batch, computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { readDevice, writeDevice } from '../device.ts'
import { textMap } from '../editor/binding.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { operationOf, type Hunk } from './hunks.ts'
import type { State } from './state.ts'
import { suggestingKey } from './suggesting-key.ts'
import { storedText, suggesting as suggestingIn, takeHunks } from './suggesting.ts'
import { targetOf } from './targets.ts'

export interface Proposing {
  /** Typing proposes. */
  readonly suggesting: ReadonlySignal<boolean>
  /** Goes with what is proposed from now on. */
  readonly reason: Signal<string>
  /** Whether this person may choose between the two. */
  readonly canChoose: ReadonlySignal<boolean>
  toggleSuggesting(): void
  close(): void
}

export function openProposing({ page: { session, panel }, editor, store, placing }: State): Proposing {
  const { view } = editor
  const propose = (_view: EditorView, hunks: readonly Hunk[]): void => {
    const text = storedText(view.state).toString()
    const { shown } = view.state.facet(textMap)
    batch(() => {
      for (const { from, to, original, text: proposed } of hunks) {
        const operation = operationOf({ original, text: proposed })
        const sent = store.act({
          kind: 'suggest',
          operation,
          original,
          text: proposed,
          target: targetOf(text, { from, to }),
          note: reason.value.trim()
        })
        placing.made(sent.id, { from: shown(from), to: Math.max(shown(from), shown(to)) })
      }
    })
  }

  const tellUprooted = (): void => {
    const show = (): void => void (panel.value = 'remarks')
    toast(t('Somebody changed the words that you were replacing. What you typed is kept.'), {
      name: t('Show'),
      run: show,
      milliseconds: 15_000
    })
  }

  const askedKey = suggestingKey(session.id)
  const asked = signal(readDevice(askedKey) === '1')
  const suggesting = signal(false)
  const reason = signal('')
  const canChoose = computed(() => store.canDecide.value && session.canEdit.value)
  const wanted = computed(() => store.canSuggest.value && (!store.canDecide.value || asked.value))

  const toggleSuggesting = (): void => {
    if (!canChoose.value) {
      toast(store.canSuggest.value ? t('Your link allows suggesting only.') : t('Your link does not allow suggesting.'))
      return
    }
    asked.value = !asked.value
    writeDevice(askedKey, asked.value ? '1' : null)
    const words = asked.value ? t('Suggesting: what you type is proposed') : t('Editing: what you type changes the text')
    store.said.value = words
    toast(words)
    view.focus()
  }

  const setSuggesting = (isOn: boolean): void => {
    if (isOn === suggesting.value) return
    if (isOn) editor.setBinding(suggestingIn(session.text, propose, tellUprooted))
    else {
      takeHunks(view, () => true, propose)
      editor.setBinding(undefined)
    }
    suggesting.value = isOn
  }

  const stop = effect(() => {
    const isOn = wanted.value
    untracked(() => setSuggesting(isOn))
  })
  return {
    suggesting,
    reason,
    canChoose,
    toggleSuggesting,
    close() {
      if (suggesting.peek()) takeHunks(view, () => true, propose)
      stop()
    }
  }
}
