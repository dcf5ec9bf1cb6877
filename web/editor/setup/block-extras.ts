/** The editor extras for code blocks, rules, and files and pictures between blocks. They are a separate chunk, which loads together with the others. */
import { closingFences } from '../closing-fences.ts'
import { codeEdges } from '../code-edges.ts'
import { codeLanguage } from '../code-language.ts'
import { droppedFiles } from '../dropped-files.ts'
import { pastedPicture } from '../live/pasted-picture.ts'
import { longerFences } from '../longer-fences.ts'
import { typedRule } from '../typed-rule.ts'
import type { Typing } from './typing.ts'

export const blockExtras: Typing = {
  always: [closingFences, droppedFiles],
  live: [typedRule, codeEdges, codeLanguage, longerFences, pastedPicture]
}
