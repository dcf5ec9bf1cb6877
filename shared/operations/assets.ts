/** Operations on a document's assets (docs/api.md, Assets and media jobs). */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { line } from './schemas.ts'
import { limits } from '../limits.ts'

export const Asset = z
  .object({
    id: z.string(),
    url: z.string().meta({ description: 'Opens the file without a key.' }),
    markdown: z.string(),
    name: z.string(),
    kind: z.enum(['image', 'audio', 'video']),
    size: z.number().int().meta({ description: 'Bytes.' }),
    contentType: z.string()
  })
  .meta({ id: 'Asset' })

export const uploadAsset = operation({
  summary: 'Uploads a picture, sound or video, and returns the Markdown that shows it.',
  description:
    'Send the file as the body, and its type as Content-Type. The type must match the bytes. Anyone who knows the address can read the file ' +
    'until the document is deleted.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/assets', query: ['name'], status: 201, body: 'media' },
  mcp: 'upload_asset',
  cli: 'assets upload',
  input: z.object({
    name: line(limits.titleUnitsMax).optional().meta({ description: 'File name or description, used as the alternative text.' })
  }),
  output: Asset,
  errors: ['asset_quota_exceeded']
})
