/** The editor extras for code blocks, links, rules, emoji, footnotes, collapsible text and pictures between blocks. They are a separate chunk, which loads together with the others. */
import { closingFences } from '../closing-fences.ts'
import { codeEdges } from '../code-edges.ts'
import { codeLanguage } from '../code-language.ts'
import { noteEnds } from '../live/note-ends.ts'
import { pastedPicture } from '../live/pasted-picture.ts'
import { linkBrackets } from '../live/link-brackets.ts'
import { linkEnds } from '../live/link-ends.ts'
import { leaveCollapsible } from '../live/leave-collapsible.ts'
import { longerFences } from '../longer-fences.ts'
import { typedRule } from '../typed-rule.ts'
import { wholeEmoji } from '../whole-emoji.ts'
import type { Typing } from './typing.ts'

export const blockExtras: Typing = {
  always: [closingFences, linkEnds, wholeEmoji],
  live: [leaveCollapsible, typedRule, codeEdges, codeLanguage, linkBrackets, longerFences, noteEnds, pastedPicture]
}
