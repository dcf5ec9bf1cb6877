/** Marks the places of media results with a small icon. The icon is in the view and not in the text. Clicking it shows the job next to the text. */
import { effect, type ReadonlySignal } from '@preact/signals'
import { StateEffect, StateField, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet } from '@codemirror/view'
import { textMap } from '../editor/binding.ts'
import { drawIcon } from '../editor/draw-icon.ts'
import { t } from '../text/t.ts'
import { iconPath } from '../ui/icons.tsx'
import type { Job } from './job.ts'
import { icons } from './words.ts'
import '../ui/more-icons.ts'

interface MarksInput<Each extends Job> {
  readonly list: ReadonlySignal<readonly Each[]>
  /** Returns the place of a job as an offset in the document's text, in UTF-16 units. */
  placeOf(job: Each): number
  show(): void
}

const stops = new WeakMap<HTMLElement, () => void>()

class Sign extends WidgetType {
  readonly #job: Job
  readonly #show: () => void

  constructor(job: Job, show: () => void) {
    super()
    this.#job = job
    this.#show = show
  }

  override eq(other: Sign): boolean {
    return other.#job === this.#job
  }

  override toDOM(): HTMLElement {
    const { kind, name, state } = this.#job
    const sign = document.createElement('button')
    sign.type = 'button'
    sign.className = 'media-sign'
    sign.contentEditable = 'false'
    // Keyboard users open the panel with its command.
    sign.tabIndex = -1
    sign.title = t('Show next to the text: {name}', { name })
    sign.setAttribute('aria-label', sign.title)
    sign.append(drawIcon(iconPath(icons[kind])))
    sign.addEventListener('mousedown', (event) => event.preventDefault())
    sign.addEventListener('click', this.#show)
    stops.set(
      sign,
      effect(() => {
        sign.dataset['phase'] = state.value.phase
      })
    )
    return sign
  }

  override destroy(sign: HTMLElement): void {
    stops.get(sign)?.()
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** Adds the icons to an editor. They stay until the editor is closed. */
export function addMarks<Each extends Job>(view: EditorView, { list, placeOf, show }: MarksInput<Each>): void {
  const place = StateEffect.define<readonly Range<Decoration>[]>()
  const signs = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, transaction) {
      for (const change of transaction.effects) if (change.is(place)) return Decoration.set(change.value, true)
      return set.map(transaction.changes)
    },
    provide: (self) => EditorView.decorations.from(self)
  })
  const placer = ViewPlugin.define((editor) => {
    let gone = false
    // Runs after the binding has applied the change to Y.Text, because positions refer to the items of Y.Text.
    const put = (): void =>
      queueMicrotask(() => {
        if (gone) return
        const { length } = editor.state.doc
        const { shown } = editor.state.facet(textMap)
        const found = list
          .peek()
          .map((job) => Decoration.widget({ widget: new Sign(job, show), side: 1 }).range(Math.min(shown(placeOf(job)), length)))
        if (found.length > 0 || editor.state.field(signs).size > 0) editor.dispatch({ effects: place.of(found) })
      })
    const stop = effect(() => {
      list.value.at(0)
      put()
    })
    return {
      update({ docChanged }) {
        if (docChanged && list.peek().length > 0) put()
      },
      destroy() {
        gone = true
        stop()
      }
    }
  })
  view.dispatch({ effects: StateEffect.appendConfig.of([signs, placer]) })
}
