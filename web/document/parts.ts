/**
 * The parts of the page that load after its text, one by one while the browser is idle: the editor extras, comments and suggestions, and activity. A
 * request for a part loads it immediately.
 */
import { computed, effect, signal } from '@preact/signals'
import { includesRole } from '../../shared/roles.ts'
import type { Feed } from '../activity/feed.ts'
import { documentValue } from '../device/device.ts'
import { readDevice } from '../device/values.ts'
import { asOneStep } from '../editor/binding.ts'
import type { Editor } from '../editor/setup/editor.ts'
import type { OpenReview } from '../review/review.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { endEarly } from '../ui/early-field.ts'
import { whenIdle } from '../base/idle.ts'
import { preparePrinting } from '../export/printing.ts'
import type { Page, Parts } from '../commands/page.ts'
import type { Session } from '../session/session.ts'

/** Returns a function that loads a part on the first call. After a failed load, the next call tries again. */
function once<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
}

/** Resolves when the page knows the person's role, which may be later than the text. */
const roleKnown = ({ role }: Session): Promise<void> =>
  new Promise((resolve) => {
    const stop = role.subscribe((value) => {
      if (value === null) return
      resolve()
      queueMicrotask(() => stop())
    })
  })

/** Whether the address names an annotation. */
const asksForAnnotation = (): boolean =>
  /^#(?:comment|suggestion)-/.test(location.hash) || new URL(location.href).searchParams.has('comment')

export function createParts(session: Session): Parts {
  const review = signal<OpenReview | undefined>(undefined)
  const feed = signal<Feed | undefined>(undefined)
  const proposed = readDevice(documentValue('suggesting', session.id)) === '1'
  const held = signal(false)
  const begun = Promise.withResolvers<{ readonly page: Page; readonly editor: Editor }>()
  let closed = false

  const openReview = once(async () => {
    const [{ openReview: open }, { page, editor }] = await Promise.all([import('../review/review.ts'), begun.promise])
    if (!closed) review.value ??= open(page, editor)
  })
  const openExtras = once(async () => {
    const [
      part,
      { typing },
      { blockExtras },
      { handleExtras },
      { tableExtras },
      { pasteExtras },
      { caretExtras },
      { stepRules, stepExtras },
      { page, editor }
    ] = await Promise.all([
      import('./extras.ts'),
      import('../editor/setup/typing.ts'),
      import('../editor/setup/block-extras.ts'),
      import('../editor/setup/handle-extras.ts'),
      import('../editor/setup/table-extras.ts'),
      import('../editor/setup/paste-extras.ts'),
      import('../editor/setup/caret-extras.ts'),
      import('../editor/replaced-values.ts'),
      begun.promise
    ])
    if (closed) return part.textCommands
    editor.extend(part.extrasOf(page, [typing, blockExtras, handleExtras, tableExtras, pasteExtras, caretExtras, stepExtras]), stepRules)
    endReturns = part.startBeside(page, editor)
    return part.textCommands
  })
  let endReturns = (): void => undefined
  const openFind = once(async () => {
    const [part, { editor }] = await Promise.all([import('../editor/find/panel.tsx'), begun.promise])
    if (!closed) editor.add(part.finding)
    return part
  })
  const openFeed = once(async () => {
    const [{ openFeed: open }, { page }] = await Promise.all([import('../activity/feed.ts'), begun.promise])
    if (!closed) feed.value ??= open(page)
  })
  /** Resumes the media jobs of an earlier page. If there are none, their code is not loaded. */
  const openJobs = once(async () => {
    if (readDevice(documentValue('media', session.id)) === null) return
    const [{ mediaOf }, { page }] = await Promise.all([import('../media/jobs.ts'), begun.promise])
    if (!closed) mediaOf(page)
  })

  const ends: (() => void)[] = []
  /** Draws diagrams for the published page. Only the page of a person who may write does this. */
  const openWriter = once(async () => {
    const { followDrawings } = await import('../sharing/follow-drawings.ts')
    if (!closed) ends.push(followDrawings(session))
  })
  const openRole = once(async () => {
    const { followRole } = await import('./changed-role.ts')
    if (!closed) ends.push(followRole(session))
  })

  const asked = async <Part>(open: () => Promise<Part>, run: (part: Part) => unknown): Promise<void> => {
    let part: Part
    try {
      part = await open()
    } catch {
      toast(t('This part of the page could not be loaded. It loads when you are back online.'))
      endEarly()
      return
    }
    if (!closed) run(part)
  }

  return {
    review,
    feed,
    proposed,
    awaitsProposals: computed(() => held.value || (proposed && (review.value === undefined || session.role.value === null))),
    async withReview(run, holdsTyping = false) {
      if (review.value !== undefined && session.role.value !== null) return run(review.value)
      if (holdsTyping) held.value = true
      const ready = async (): Promise<void> => void (await Promise.all([openReview(), roleKnown(session)]))
      await asked(ready, () => review.value !== undefined && run(review.value))
      if (holdsTyping) held.value = false
    },
    // Like every command, a command from the extras is a separate undo step.
    async withExtras(run) {
      const { editor } = await begun.promise
      await asked(openExtras, (part) => asOneStep(editor.view, () => run(part)))
    },
    withFind: (run) => asked(openFind, run),
    start(page, editor) {
      begun.resolve({ page, editor })
      // A person who may only suggest cannot write before this part has loaded. A person who follows a link to an annotation wants to see it at once.
      const onlyProposes = !session.canEdit.value && includesRole(session.role.value, 'suggest')
      const isUrgent = proposed || onlyProposes || asksForAnnotation()
      // A reader does not need the parts for writing.
      const waiting: (() => Promise<unknown>)[] =
        page.mode.value === 'read' ? [openReview, openFeed, openJobs] : [openExtras, openReview, openFind, openFeed, openJobs, openWriter]
      waiting.push(openRole, () => preparePrinting(session))
      let stop = (): void => undefined
      // Writing works without this part, which loads on the next visit.
      const open = (part: () => Promise<unknown>): Promise<unknown> => part().catch(() => undefined)
      const next = async (): Promise<void> => {
        await Promise.all(waiting.splice(0, 1).map(open))
        if (!closed && waiting.length > 0) stop = whenIdle(() => void next())
      }
      if (isUrgent) void open(openReview)
      stop = whenIdle(() => void next())
      const stops = [
        effect(() => {
          if (page.mode.value !== 'read' && !waiting.includes(openExtras)) void open(openExtras)
        }),
        effect(() => {
          if (page.panel.value === 'activity') void open(openFeed)
        })
      ]
      return () => {
        closed = true
        stop()
        for (const end of [...stops, ...ends]) end()
        review.value?.close()
        feed.value?.close()
        endReturns()
      }
    }
  }
}
