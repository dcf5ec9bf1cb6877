/**
 * The editor extras for the handles and edges of blocks, and for pictures that are dropped between blocks. They are a separate chunk, which loads
 * together with the others.
 */
import { blockHandles } from '../blocks/handles.ts'
import { keptEdges } from '../kept-edges.ts'
import { droppedPicture } from '../live/dropped-picture.ts'
import type { Typing } from './typing.ts'

export const handleExtras: Typing = { always: [], live: [blockHandles, keptEdges, droppedPicture] }
