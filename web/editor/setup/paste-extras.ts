/** The editor extras for pasted text, for pasted and dropped files, and for copies with formats. They are a separate chunk, which loads together with the others. */
import { copiedHtml } from '../copied-html.ts'
import { droppedFiles } from '../dropped-files.ts'
import { noteLabels } from '../paste/note-labels.ts'
import { smartPaste } from '../paste/paste.ts'
import { textFiles } from '../paste/text-files.ts'
import type { Typing } from './typing.ts'

export const pasteExtras: Typing = { always: [smartPaste, textFiles, droppedFiles, noteLabels], live: [copiedHtml] }
