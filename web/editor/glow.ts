/** Briefly highlights text that others have just written, so that a person notices the change. */
import { StateEffect, StateField, type Extension } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'

const glowMs = 1300
/** Longest change that is highlighted, in UTF-16 units. A longer change comes from loading or from a replacement, not from typing. */
const glowUnitsMax = 2000

const settle = StateEffect.define<null>()
const glow = Decoration.mark({ class: 'md-glow' })

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    if (transaction.effects.some((effect) => effect.is(settle))) return Decoration.none
    if (!transaction.docChanged) return set
    let next = set.map(transaction.changes)
    if (transaction.annotation(ySyncAnnotation) === undefined) return next
    transaction.changes.iterChangedRanges((_fromA, _toA, from, to) => {
      if (to > from && to - from <= glowUnitsMax) next = next.update({ add: [glow.range(from, to)] })
    })
    return next
  },
  provide: (self) => EditorView.decorations.from(self)
})

const settler = ViewPlugin.fromClass(
  class {
    #timer: ReturnType<typeof setTimeout> | undefined

    update(update: ViewUpdate): void {
      if (!update.docChanged || update.state.field(field).size === 0) return
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => update.view.dispatch({ effects: settle.of(null) }), glowMs)
    }

    destroy(): void {
      clearTimeout(this.#timer)
    }
  }
)

export const remoteGlow: Extension = [field, settler]
