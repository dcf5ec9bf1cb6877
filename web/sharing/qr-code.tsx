/** Shows a link as a QR code. The encoder loads when a code is first shown. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../text/t.ts'

interface Drawn {
  /** Number of modules per side, including the quiet zone. */
  readonly size: number
  readonly path: string
}

/** Width of the white border around the code, in modules (ISO/IEC 18004 requires four). */
const quietZone = 4

async function draw(text: string): Promise<Drawn> {
  const { encode } = await import('uqr')
  const { size, data } = encode(text, { ecc: 'M', border: quietZone })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return { size, path }
}

export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const drawn = useSignal<Drawn | undefined>(undefined)
  const failed = useSignal(false)
  useEffect(() => {
    draw(text).then(
      (value) => (drawn.value = value),
      () => (failed.value = true)
    )
  }, [text])
  if (failed.value) return <p class='muted share-qr'>{t('The QR code could not be loaded. It loads when you are back online.')}</p>
  if (drawn.value === undefined) return <div class='share-qr qr-space' />
  const { size, path } = drawn.value
  return (
    <div class='share-qr'>
      <svg class='qr' viewBox={`0 0 ${size} ${size}`} role='img' aria-label={label} shape-rendering='crispEdges'>
        <path d={path} />
      </svg>
    </div>
  )
}
