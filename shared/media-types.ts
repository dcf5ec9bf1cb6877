/** The types of media that a document may contain as assets (docs/api.md, Assets and media jobs). */

export type MediaKind = 'image' | 'audio' | 'video'

export interface MediaType {
  readonly contentType: string
  readonly kind: MediaKind
  /** File extension in the address of the asset, without the dot. */
  readonly extension: string
  /** Other names of the type that browsers and programs send. */
  readonly aliases: readonly string[]
  /**
   * Types that may be detected in the bytes of a file. By default, only the type itself may be detected. Some containers can hold audio, video, or
   * both.
   */
  readonly looksLike?: readonly string[]
}

export const mediaTypes: readonly MediaType[] = [
  {
    contentType: 'image/png',
    kind: 'image',
    extension: 'png',
    aliases: ['image/x-png', 'image/apng'],
    looksLike: ['image/png', 'image/apng']
  },
  { contentType: 'image/jpeg', kind: 'image', extension: 'jpg', aliases: ['image/jpg', 'image/pjpeg'] },
  { contentType: 'image/gif', kind: 'image', extension: 'gif', aliases: [] },
  { contentType: 'image/webp', kind: 'image', extension: 'webp', aliases: [] },
  { contentType: 'image/avif', kind: 'image', extension: 'avif', aliases: [] },
  { contentType: 'video/mp4', kind: 'video', extension: 'mp4', aliases: ['video/x-m4v'], looksLike: ['video/mp4', 'video/x-m4v'] },
  { contentType: 'video/webm', kind: 'video', extension: 'webm', aliases: [] },
  { contentType: 'audio/mpeg', kind: 'audio', extension: 'mp3', aliases: ['audio/mp3', 'audio/x-mp3', 'audio/x-mpeg'] },
  { contentType: 'audio/ogg', kind: 'audio', extension: 'ogg', aliases: ['application/ogg', 'audio/opus', 'audio/vorbis'] },
  { contentType: 'audio/wav', kind: 'audio', extension: 'wav', aliases: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'] },
  { contentType: 'audio/flac', kind: 'audio', extension: 'flac', aliases: ['audio/x-flac'] },
  {
    contentType: 'audio/mp4',
    kind: 'audio',
    extension: 'm4a',
    aliases: ['audio/x-m4a', 'audio/m4a'],
    looksLike: ['audio/mp4', 'audio/x-m4a', 'video/mp4']
  },
  // Browsers use these types for recordings.
  { contentType: 'audio/webm', kind: 'audio', extension: 'webm', aliases: [], looksLike: ['video/webm', 'audio/webm'] }
]

const kinds = new Map(mediaTypes.toReversed().map(({ extension, kind }) => [extension, kind]))

/**
 * Returns the kind of media at an address, based on its extension; undefined if the extension is unknown. A container that can hold audio and video
 * counts as video.
 */
export const kindOfAddress = (address: string): MediaKind | undefined =>
  kinds.get(/\.(\w+)(?:[?#]|$)/.exec(address)?.[1]?.toLowerCase() ?? '')

/** Returns the media type that a Content-Type names. The Content-Type must be in lower case and without parameters. */
export const findMediaType = (named: string): MediaType | undefined =>
  mediaTypes.find(({ contentType, aliases }) => contentType === named || aliases.includes(named))

/** Whether a file may be sent as `type`. `sniffed` is the type detected in its bytes. */
export const maySendAs = (type: MediaType, sniffed: string | undefined): boolean =>
  sniffed !== undefined && (type.looksLike ?? [type.contentType]).includes(sniffed)
