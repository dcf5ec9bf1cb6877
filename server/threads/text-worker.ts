/** Does the work on large documents in a separate thread, one job at a time. */
import { textWork } from '../domain/text/text-work.ts'
import { serve } from './serve.ts'
import type { TextJob } from './texts.ts'

serve(({ name, input }: TextJob) => (textWork[name] as (...input: readonly unknown[]) => unknown)(...input))
