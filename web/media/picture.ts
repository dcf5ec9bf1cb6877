/** Converts pictures to formats that engines can read. PNG and JPEG stay unchanged, and any other picture that the browser can show becomes a PNG. */
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { UnusableFile } from './sound.ts'

const asTheyAre = ['image/png', 'image/jpeg']

async function asPng(file: Blob): Promise<Blob> {
  try {
    const picture = await createImageBitmap(file)
    const canvas = new OffscreenCanvas(picture.width, picture.height)
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
    return await canvas.convertToBlob({ type: 'image/png' })
  } catch {
    throw new UnusableFile(t('Your browser cannot read this picture. It may be damaged or in an unsupported format.'))
  }
}

/** Returns a picture that engines can read. Throws `UnusableFile`. */
export async function asReadable(file: Blob): Promise<Blob> {
  const picture = asTheyAre.includes(file.type) ? file : await asPng(file)
  if (picture.size > limits.ocrBytesMax)
    throw new UnusableFile(t('The file is larger than {mebibytes} MiB.', { mebibytes: limits.ocrBytesMax / 1024 / 1024 }))
  return picture
}

export interface PictureInText {
  readonly url: string
  readonly words: string
}

/** Returns the uploaded pictures in the text, each once, with the pictures nearest to a position first. */
export function picturesIn(text: string, at: number): PictureInText[] {
  const found = [...text.matchAll(/\]\((\/f\/[\w-]+\.(?:png|jpe?g|gif|webp|avif))\)/g)]
    .flatMap(({ index, 0: { length }, 1: url = '' }) => {
      // The alternative text begins on the same line, after the previous closing bracket.
      const from = index === 0 ? 0 : 1 + Math.max(text.lastIndexOf(']', index - 1), text.lastIndexOf('\n', index - 1))
      const open = text.slice(from, index).indexOf('![')
      const words = text.slice(from + open + 2, index)
      return open === -1 ? [] : [{ url, words, distance: Math.max(0, from + open - at, at - index - length) }]
    })
    .toSorted((one, other) => other.distance - one.distance)
  // If an address occurs several times, the nearest occurrence comes last and therefore wins.
  const nearest = new Map(found.map(({ url, words, distance }) => [url, { url, words, distance }]))
  return [...nearest.values()].toSorted((one, other) => one.distance - other.distance).map(({ url, words }) => ({ url, words }))
}
