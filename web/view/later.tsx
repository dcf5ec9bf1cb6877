/** Shows a part of the page whose code loads on first use. */
import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { endEarly } from '../ui/early-field.ts'
import type { View } from './view.ts'

type Part<Of extends View> = ComponentType<{ readonly view: Of }>

const loaded = new Map<unknown, unknown>()

export function Later<Of extends View>({ load, view }: { load: () => Promise<Part<Of>>; view: Of }): JSX.Element | null {
  const [Shown, setShown] = useState(() => loaded.get(load) as Part<Of> | undefined)
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
