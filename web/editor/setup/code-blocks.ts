/** The editor extras for code blocks. They are a separate chunk, which loads together with the others. */
import { closingFences } from '../closing-fences.ts'
import { codeEdges } from '../code-edges.ts'
import { longerFences } from '../longer-fences.ts'
import type { Typing } from './typing.ts'

export const codeBlocks: Typing = { always: [closingFences], live: [codeEdges, longerFences] }
