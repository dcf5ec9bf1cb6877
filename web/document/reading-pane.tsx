/** The container of the reading view. The code of the view loads when somebody reads. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { facesAtHand } from '../base/faces.ts'
import { coveringText, takeOver } from '../first/take-over.ts'
import type { Reading } from '../reading/reading.ts'
import { atOnce, inTurns } from '../base/steps.ts'
import { t } from '../text/t.ts'
import type { Page } from '../commands/page.ts'

const fetchReading = () => import('../reading/reading.ts')

/** Starts loading the code of the reading view while the text is still on its way. */
export const prepareReading = (): void => void fetchReading().catch(() => undefined)

export function ReadingPane({ view }: { view: Page }): JSX.Element {
  const { session } = view
  const host = useRef<HTMLDivElement>(null)
  const failed = useSignal(false)
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    let stop = (): void => undefined
    let left = false
    const open = async (): Promise<void> => {
      const { createReading, fetchLibraries } = await fetchReading()
      const covering = coveringText()
      await (covering === undefined ? facesAtHand('read') : fetchLibraries(covering))
      if (left) return
      const steps = createReading({
        host: element,
        page: view,
        onTask: (letter) => view.editor.value?.toggleTask(letter)
      })
      let end = (): void => undefined
      const run = covering === undefined ? atOnce : inTurns
      const endSteps = run<Reading>(steps, (reading) => {
        takeOver(element)
        const stopRole = session.canEdit.subscribe((canEdit) => reading.setCanEdit(canEdit))
        end = () => {
          stopRole()
          reading.destroy()
        }
      })
      stop = () => {
        endSteps()
        end()
      }
    }
    open().catch(() => {
      failed.value = true
      takeOver()
    })
    return () => {
      left = true
      stop()
    }
  }, [])
  return (
    <>
      {failed.value && (
        <p class='notice warn' role='alert'>
          {t('The reading view could not be loaded. It loads when you are back online.')}
        </p>
      )}
      {/* The container scrolls, so keyboard users must be able to focus it. */}
      <section class='reading' tabIndex={0} aria-label={session.title.value} ref={host} />
    </>
  )
}
