/** Changes the ids of components in inserted text, because no two components in a document may share an id. */
import { type Fence, fencesOf, parseInfo } from '../fences/fences.ts'
import { applyEdits, type Edit } from '../text/diff.ts'

/** Maximum number of occurrences of an id that are checked in the first line of a fence. A title may contain the id as well. */
const placesMax = 20

/** Returns the edits that replace the id in the first line of a fence. */
function renameId({ source, mark, id }: Fence, fresh: string): Edit[] {
  const end = source.indexOf('\n', mark.to)
  const info = source.slice(mark.to, end === -1 ? source.length : end)
  let at = -1
  for (let place = 0; place < placesMax; place++) {
    at = info.indexOf(`#${id}`, at + 1)
    if (at === -1) return []
    const from = at + 1
    const to = from + (id?.length ?? 0)
    if (parseInfo(info.slice(0, from) + fresh + info.slice(to)).id === fresh)
      return [{ from: mark.to + from, to: mark.to + to, insert: fresh }]
  }
  return []
}

/** Returns text whose component ids differ from each other and from the ids in the document into which the text is inserted. */
export function withOwnIds(text: string, document: string): string {
  const fences = fencesOf(text)
  if (fences.every(({ id }) => id === undefined)) return text
  const taken = new Set(fencesOf(document).map(({ id }) => id))
  const numbers = new Map<string, number>()
  const edits = fences.flatMap((fence) => {
    const { id } = fence
    if (id === undefined || !taken.has(id)) {
      taken.add(id)
      return []
    }
    const name = id.replace(/-\d+$/, '')
    let number = numbers.get(name) ?? 2
    while (taken.has(`${name}-${number}`)) number += 1
    numbers.set(name, number)
    taken.add(`${name}-${number}`)
    return renameId(fence, `${name}-${number}`)
  })
  return applyEdits(text, edits)
}
