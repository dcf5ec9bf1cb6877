/** Who is here, as pages show them. */
import { expect, test } from 'vitest'
import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { hueOfName, hues } from '../shared/hues.ts'
import { people, type Person } from '../web/presence/people.ts'

/** Those who are here as a page sees them, each `kind name` in the order of their client ids. */
function seenBy(client: number, here: readonly string[]): readonly Person[] {
  const doc = new Y.Doc()
  doc.clientID = client
  const awareness = new Awareness(doc)
  here.forEach((each, index) => {
    const [kind, ...words] = each.split(' ')
    const name = words.join(' ')
    awareness.states.set(index, { user: { kind, name, role: 'edit', hue: hueOfName(name) } })
  })
  const found = people(awareness)
  awareness.destroy()
  return found
}

test('[WEB-84] a name has one colour everywhere; of two people with one colour who are here together the later has the next', () => {
  expect(seenBy(1, ['account Ana', 'account Bea']).map(({ name, hue }) => [name, hue])).toEqual([
    ['Bea', hueOfName('Bea')],
    ['Ana', hueOfName('Ana')]
  ])
  const guests = ['guest Guest', 'guest Guest', 'account Ana', 'account Ana', 'guest Guest']
  const hueOf = (client: number): readonly number[] =>
    seenBy(client, guests)
      .toSorted((one, other) => one.id - other.id)
      .map(({ hue }) => hue)
  const [first, second, ana, again, third] = hueOf(0)
  expect(new Set([first, second, ana, third]).size).toBe(4)
  expect(first).toBe(hueOfName('Guest'))
  expect(again).toBe(ana)
  expect(hueOf(3)).toEqual(hueOf(0))
  // More than there are colours.
  const many = seenBy(
    0,
    Array.from({ length: 3 * hues }, () => 'guest Guest')
  )
  expect(new Set(many.slice(0, hues).map(({ hue }) => hue)).size).toBe(hues)
})
