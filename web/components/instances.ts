/** Keeps one element for each drawn component as long as its fence exists, so that focus and drafts are not lost. */
import type { EditorView } from '@codemirror/view'
import { batch, effect, signal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { Now, FenceContext } from './connect.ts'
import { namesOf } from './fence-names.ts'
import type { Mounted } from './mount.tsx'

/** A fence that the editor draws as a component. */
export interface Block {
  /** An id of the fence, which does not change when text is typed in the fence or around it. */
  readonly key: number
  /** The fence as the last scan found it, with its offsets at that time. */
  readonly fence: Fence
  /** Offset in the current text at which the fence begins. `to` is the offset of its end. */
  readonly from: number
  readonly to: number
}

/** The text that contains the components. */
export interface TextAround {
  /** Returns the fence with a key in the current text. */
  fenceOf(view: EditorView, key: number): Now | undefined
  /** Returns how far a fence has moved since it was last read. */
  movedBy(view: EditorView, key: number): number
  /** Brings a component into view; returns false if it is not drawn. */
  show(view: EditorView, fence: Fence): boolean
}

export interface Instances {
  hostOf(block: Block, view: EditorView): HTMLElement
  /** Returns the height of a component, in pixels. */
  heightOf(block: Block): number
  /** Updates the components to the displayed fences, and removes those whose fence no longer exists. */
  follow(shown: { readonly fences: readonly Fence[]; readonly blocks: readonly Block[]; readonly open: number | undefined }): void
  focus(key: number): void
  /** Opens the first part of a component for editing as soon as it is drawn. */
  begin(key: number, view: EditorView): void
}

interface Instance {
  readonly host: HTMLElement
  readonly fence: Signal<Fence>
  /** The name by which other pages know the fence. */
  readonly name: Signal<string>
  readonly wantsFocus: Signal<boolean>
  readonly begins: Signal<boolean>
  mounted: Mounted | undefined
  stop(): void
}

/** Scrolls to a component after its insertion. If the code cannot be loaded, the component itself reports the failure. */
const bringIntoView = (host: HTMLElement, { scrollDOM }: EditorView): Promise<void> =>
  import('./keep-in-view.ts').then(
    ({ keepInView }) => keepInView(host, scrollDOM),
    () => undefined
  )

/** Estimated height of a line in a component that was never drawn, in pixels. */
const lineHeight = 26
const heightMax = 600

export const sourceOf = ({ source, from, to }: Fence): string => source.slice(from, to)

/** Whether two versions of a fence look the same when drawn. */
const same = (one: Fence, other: Fence): boolean => sourceOf(one) === sourceOf(other) && one.from === other.from && one.line === other.line

export function createInstances(page: ReviewedView, around: TextAround): Instances {
  const all = new Map<number, Instance>()
  const heights = new Map<string, number>()
  const fences = signal<readonly Fence[]>([])
  let called = new Map<number, string>()
  /** The key of the component that is drawn below its source. */
  let below: number | undefined
  /** The key of a component that opens for editing once it is drawn. */
  let beginning: number | undefined

  const heightOf = (fence: Fence): number =>
    heights.get(fence.source.slice(fence.from, fence.bodyFrom)) ?? Math.min(heightMax, (fence.lines.length + 2) * lineHeight)

  const placeOf = (key: number, { fence, name, begins }: Instance, view: EditorView): FenceContext => ({
    page,
    fence,
    fences,
    name,
    begins,
    fresh: () => around.fenceOf(view, key),
    movedBy: () => around.movedBy(view, key),
    show: (other) => around.show(view, other),
    leave(side) {
      const now = around.fenceOf(view, key)?.fence
      if (now === undefined) return
      view.focus()
      // The caret must not rest at the edge of a component, so it moves to the neighboring line.
      const end = now.source.indexOf('\n', now.to)
      const at = side === 'before' ? now.source.lastIndexOf('\n', now.from - 1) : (end === -1 ? now.source.length : end) + 1
      view.dispatch({ selection: { anchor: Math.min(Math.max(0, at), view.state.doc.length) }, scrollIntoView: true })
    }
  })

  function open(key: number, fence: Fence, view: EditorView): Instance {
    const host = document.createElement('div')
    host.className = 'md-component'
    host.contentEditable = 'false'
    // The text below stays where it was until the component is drawn.
    host.style.minHeight = `${heightOf(fence)}px`
    host.classList.toggle('below-source', key === below)
    const made: Instance = {
      host,
      fence: signal(fence),
      name: signal(called.get(key) ?? ''),
      wantsFocus: signal(false),
      begins: signal(beginning === key),
      mounted: undefined,
      stop: () => undefined
    }
    let closed = false
    const sizes = new ResizeObserver(() => {
      if (host.offsetHeight > 0) heights.set(fence.source.slice(fence.from, fence.bodyFrom), host.offsetHeight)
      view.requestMeasure()
    })
    sizes.observe(host)
    import('./mount.tsx').then(
      ({ mount }) => {
        if (closed) return
        made.mounted = mount(host, placeOf(key, made, view))
        made.stop = () => {
          sizes.disconnect()
          made.mounted?.unmount()
          stopFocus()
        }
        const stopFocus = effect(() => {
          if (!made.wantsFocus.value) return
          made.wantsFocus.value = false
          // The component can take the focus only once it is part of the page.
          requestAnimationFrame(() => made.mounted?.focus())
        })
      },
      () => {
        host.textContent = sourceOf(fence)
        toast(t('This part of the page could not be loaded. It loads when you are back online.'))
      }
    )
    made.stop = () => {
      closed = true
      sizes.disconnect()
    }
    if (beginning === key) void bringIntoView(host, view)
    all.set(key, made)
    return made
  }

  function update(now: readonly Fence[], blocks: readonly Block[], opened: number | undefined): void {
    below = opened
    fences.value = now
    const names = namesOf(blocks.map(({ fence }) => fence))
    called = new Map(blocks.map(({ key }, index) => [key, names[index] ?? '']))
    for (const { key, fence } of blocks) {
      const found = all.get(key)
      if (found === undefined) continue
      found.name.value = called.get(key) ?? ''
      found.host.classList.toggle('below-source', key === opened)
      if (!same(found.fence.peek(), fence)) found.fence.value = fence
    }
    const there = new Set(blocks.map(({ key }) => key))
    for (const [key, instance] of all) {
      instance.mounted?.keepFocus()
      if (there.has(key)) continue
      instance.stop()
      all.delete(key)
    }
  }

  return {
    hostOf: ({ key, fence }, view) => (all.get(key) ?? open(key, fence, view)).host,
    heightOf: ({ fence }) => heightOf(fence),
    follow({ fences: now, blocks, open: opened }) {
      batch(() => update(now, blocks, opened))
    },
    begin(key, view) {
      beginning = key
      const found = all.get(key)
      if (found === undefined) return
      found.begins.value = true
      void bringIntoView(found.host, view)
    },
    focus(key) {
      const found = all.get(key)
      if (found !== undefined) found.wantsFocus.value = true
    }
  }
}
