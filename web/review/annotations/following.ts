/** Follows the words of annotations that are deleted and return, or go elsewhere. This part of the page loads after the annotations. */
import type * as Y from 'yjs'
import { type Carrying, openCarrying } from './carrying.ts'
import { openReturning, type Returning } from './returning.ts'

export type Following = Carrying & Returning

export const openFollowing = (text: Y.Text): Following => ({ ...openCarrying(text), ...openReturning() })
