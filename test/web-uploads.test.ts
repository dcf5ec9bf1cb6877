/** The messages for files that cannot be added. */
import { expect, test } from 'vitest'
import { type ErrorCode, errorMeanings } from '../shared/errors.ts'
import { limits } from '../shared/limits.ts'
import { mediaTypes } from '../shared/media-types.ts'
import { failureOf, refusalOf } from '../web/uploads/failures.ts'

test('[WEB-45] every refusal has its own message; temporary ones are retried, automatically if no decision is needed', () => {
  const of = (code: ErrorCode) => failureOf(errorMeanings[code].status, code)
  expect(failureOf(0, '')).toMatchObject({ again: 'by itself' })
  for (const code of ['rate_limited', 'storage_unavailable'] as const) expect(of(code)).toMatchObject({ again: 'by itself' })
  for (const code of ['asset_quota_exceeded', 'forbidden', 'credential_invalid', 'storage_full', 'internal'] as const)
    expect(of(code)).toMatchObject({ again: 'by hand' })
  for (const code of ['unsupported_media_type', 'body_too_large', 'document_deleted', 'not_found'] as const)
    expect(of(code)).toMatchObject({ again: 'never' })
  const words: ErrorCode[] = [
    'rate_limited',
    'asset_quota_exceeded',
    'forbidden',
    'storage_full',
    'internal',
    'unsupported_media_type',
    'body_too_large'
  ]
  expect(new Set(words.map((code) => of(code).words)).size).toBe(words.length)
})

test('[WEB-45] a file of another kind, an empty one and one that is too large are refused before they are sent', () => {
  for (const { contentType, aliases } of mediaTypes)
    for (const type of [contentType, ...aliases, `${contentType};codecs=x`]) expect(refusalOf({ type, size: 1 })).toBeUndefined()
  for (const type of ['', 'image/svg+xml', 'text/html', 'application/pdf'])
    expect(refusalOf({ type, size: 1 })?.words).toMatch(/not supported/)
  expect(refusalOf({ type: 'image/png', size: limits.assetBytesMax })).toBeUndefined()
  expect(refusalOf({ type: 'image/png', size: limits.assetBytesMax + 1 })?.words).toBe('The file is larger than 10 MiB.')
  expect(refusalOf({ type: 'image/png', size: 0 })?.words).toMatch(/empty/)
})
