/** Operations on drawings. A drawing is the stored picture of a diagram. The published page uses it to show the diagram without a script. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { line } from './schemas.ts'

// Entities, references and patterns could make a small file extremely slow to draw. If a picture is refused, the reader's browser draws the diagram.
const greedy = /<(?:!|use|pattern|image|feimage|script|foreignobject)/i

const Svg = z
  .string()
  .max(limits.drawingUnitsMax)
  .refine(
    (svg) => svg.isWellFormed() && svg.startsWith('<svg') && svg.trimEnd().endsWith('</svg>') && !greedy.test(svg),
    'must be one SVG element without references, patterns and pictures in it'
  )

const Pixels = z.int().min(1).max(limits.drawingPixelsMax)

export const listDrawings = operation({
  summary: 'Lists the diagrams with a stored picture.',
  on: 'document',
  role: 'edit',
  rest: { method: 'GET', path: '/api/docs/{id}/drawings' },
  input: z.object({}),
  output: z.object({
    drawings: z.array(z.object({ source: z.string().meta({ description: 'SHA-256 of the diagram’s source, base64url.' }) }))
  }),
  errors: []
})

export const storeDrawing = operation({
  summary: 'Stores a picture of a diagram for the published page.',
  description:
    'The editor does this automatically. Without the picture, a published page draws the diagram in the reader’s browser. ' +
    `A document stores only the newest ${limits.drawingsMax} drawings.`,
  on: 'document',
  role: 'edit',
  rest: { method: 'PUT', path: '/api/docs/{id}/drawings', large: true },
  input: z.object({
    source: z.string().min(1).max(limits.drawingSourceUnitsMax).meta({ description: 'The Mermaid source in the fence.' }),
    title: line(limits.drawingTitleUnitsMax).meta({ description: 'The alternative text.' }),
    width: Pixels.meta({ description: 'CSS pixels.' }),
    height: Pixels.meta({ description: 'CSS pixels.' }),
    light: Svg.meta({ description: 'The picture on a light page.' }),
    dark: Svg.meta({ description: 'The picture on a dark page.' })
  }),
  output: z.object({ ok: z.literal(true), source: z.string().meta({ description: 'SHA-256 of the source, base64url.' }) }),
  example: { source: 'pie', title: 'A pie', width: 1, height: 1, light: '<svg></svg>', dark: '<svg></svg>' },
  errors: ['quota_exceeded']
})
