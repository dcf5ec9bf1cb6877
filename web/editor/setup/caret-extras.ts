/** The editor extras for the caret next to the labels of callouts, the fences of code and the fields of links, and for the carets of others. They are a separate chunk, which loads together with the others. */
import { calloutLabels } from '../callout-labels.ts'
import { codeArrows } from '../code-arrows.ts'
import { linkFields } from '../link-fields.ts'
import { namesOnHover } from '../names-on-hover.ts'
import type { Typing } from './typing.ts'

export const caretExtras: Typing = { always: [namesOnHover], live: [calloutLabels, codeArrows, linkFields] }
