/** A part of the page whose code is fetched when it is first shown. */
import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { endEarly } from './early-field.ts'
import type { View } from './page.tsx'

type Part = ComponentType<{ readonly view: View }>

const loaded = new Map<() => Promise<Part>, Part>()

export function Later({ load, view }: { load: () => Promise<Part>; view: View }): JSX.Element | null {
  const [Shown, setShown] = useState<Part | undefined>(() => loaded.get(load))
  useEffect(() => {
    if (Shown !== undefined) return
    load().then(
      (part) => {
        loaded.set(load, part)
        setShown(() => part)
      },
      () => {
        view.dialog.value = undefined
        view.panel.value = undefined
        endEarly()
        toast(t('This part of the page could not be loaded. It loads when you are back online.'))
      }
    )
  }, [])
  return Shown === undefined ? null : <Shown view={view} />
}
