/** Operations on the service itself. */
import { z } from 'zod'
import { operation } from '../operation.ts'

export const readHealth = operation({
  summary: 'Shows whether the service is healthy.',
  on: 'service',
  rest: { method: 'GET', path: '/api/health' },
  cli: 'doctor',
  input: z.object({}),
  output: z.object({
    ok: z.boolean(),
    status: z.enum(['ok', 'read_only', 'stopping']),
    version: z.string(),
    uptimeSeconds: z.number().int()
  }),
  errors: []
})
