/** Reading one, and short answers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { told } from '../support/mcp.ts'
import { comment, suggest } from '../support/remarks.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('[BRIEF-1] one comment, suggestion or link is read by its id, and the lists take it, too', async () => {
  const owner = await world.create('The quick brown fox.\n')
  const viewer = await owner.share('view')
  const stranger = await world.create('Another.\n')
  await comment(owner, { body: 'Another.' })
  const { id: commentId } = await comment(owner, { body: 'Whose?', find: 'quick' })
  await owner.ask('POST', `/comments/${commentId}/replies`, { json: { body: 'Mine.' } })
  await suggest(owner, { operation: 'insert', text: 'x' })
  const { id: suggestionId } = await suggest(owner, { operation: 'replace', find: 'brown', text: 'red' })
  const kinds = [
    ['comments', 'comment', commentId, viewer],
    ['suggestions', 'suggestion', suggestionId, viewer],
    ['shares', 'share', viewer.link.id, owner]
  ] as const
  for (const [list, one, id, reader] of kinds) {
    const { json } = await reader.ask('GET', `/${list}/${id}`)
    const all = (await reader.ask('GET', `/${list}`)).json[list]
    expect(all.length).toBeGreaterThan(1)
    expect(json).toEqual({ [one]: all.find((each: { id: string }) => each.id === id) })
    expect((await reader.ask('GET', `/${list}`, { query: { id } })).json[list]).toEqual([json[one]])
    expect(await owner.ask('GET', `/${list}/none`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect((await stranger.ask('GET', `/${list}/${id}`)).status).toBe(404)
  }
  expect((await owner.ask('GET', `/shares/${viewer.key}`)).json.share.id).toBe(viewer.link.id)
  expect((await viewer.ask('GET', `/shares/${viewer.link.id}`)).status).toBe(403)
  const place = { doc: owner.doc, key: owner.key }
  expect((await told(world.url, 'list_comments', { ...place, id: commentId })).comments).toMatchObject([
    { id: commentId, replies: [{ body: 'Mine.' }] }
  ])
  expect((await told(world.url, 'list_suggestions', { ...place, id: suggestionId })).suggestions).toHaveLength(1)
})
