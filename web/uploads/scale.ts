/** Scales down pictures that are larger than any screen, before they are sent. */

/** Longest side of a picture, in pixels. */
export const sideMax = 4096
const quality = 0.9

/**
 * Types of pictures with a single frame, and the type that each is written as. Scaling an animation would stop it. A type that browsers cannot write
 * becomes WebP.
 */
const writtenAs: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/webp': 'image/webp',
  'image/avif': 'image/webp'
}

async function drawn(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const share = sideMax / Math.max(bitmap.width, bitmap.height)
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * share)), Math.max(1, Math.round(bitmap.height * share)))
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.convertToBlob({ type, quality })
}

/**
 * Returns the picture scaled to at most `sideMax` pixels per side, or the file itself. Never rejects: a file that cannot be drawn is sent unchanged.
 */
export async function scaled(file: Blob): Promise<Blob> {
  const type = writtenAs[file.type]
  if (type === undefined) return file
  try {
    const bitmap = await createImageBitmap(file)
    const fits = Math.max(bitmap.width, bitmap.height) <= sideMax
    const smaller = fits ? file : await drawn(bitmap, type)
    bitmap.close()
    return smaller
  } catch {
    return file
  }
}
