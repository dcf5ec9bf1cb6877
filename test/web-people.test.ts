/** The people present, as pages show them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { hueOfName, hues, ownHue } from '../shared/hues.ts'
import { hueOf, noteColours } from '../web/presence/colours.ts'
import type { Page } from '../web/commands/page.ts'
import { isMention, namesAround } from '../web/presence/mention-names.ts'
import type { Revision } from '../web/history/api.ts'
import { otherWriters, writersOf } from '../web/history/writers.ts'
import { writeDevice } from '../web/device/values.ts'
import { refusalWords } from '../web/client/refusal-words.ts'
import type { Share } from '../web/sharing/requests.ts'
import { endedLinks, isNamedByService, isOwnLink } from '../web/sharing/links.ts'
import { firstLinkLabel } from '../server/domain/records/keys.ts'
import { accountName, formerNames, guestNumber, ownNumber, setPersonName, signature } from '../web/presence/person.ts'
import { keepNumber } from '../web/presence/signature.ts'
import { displayName, otherPages, people, type Person, plainNameOf, setOwnMark } from '../web/presence/people.ts'

/** Returns the people present as one page sees them. Each is given as `kind name`, in the order of their client ids. */
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

test('[WEB-84] a name has one color everywhere; if two people present share one, the later gets the next', () => {
  expect(seenBy(1, ['account Ana', 'account Bea']).map(({ name, hue }) => [name, hue])).toEqual([
    ['Bea', hueOfName('Bea')],
    ['Ana', hueOfName('Ana')]
  ])
  const guests = ['guest Guest', 'guest Guest', 'account Ana', 'account Ana', 'guest Guest']
  const hueOf = (client: number): readonly number[] =>
    seenBy(client, guests)
      .toSorted((one, other) => one.id - other.id)
      .map(({ hue }) => hue)
  // Two pages of one account are one person.
  const [first, second, ana, third] = hueOf(0)
  expect(new Set([first, second, ana, third]).size).toBe(4)
  expect(first).toBe(hueOfName('Guest'))
  expect(hueOf(3)).toEqual(hueOf(0))
  // There are more people than colors.
  const many = seenBy(
    0,
    Array.from({ length: 3 * hues }, () => 'guest Guest')
  )
  // One color is left out: that of a person's own caret and selection.
  expect(new Set(many.slice(0, hues - 1).map(({ hue }) => hue)).size).toBe(hues - 1)
  expect(many.slice(0, hues - 1).map(({ hue }) => hue)).not.toContain(ownHue)
  expect(Array.from({ length: 500 }, (_, index) => hueOfName(`Name ${index}`))).not.toContain(ownHue)
})

test('[WEB-84] [WHO-22] a page gives its own person the color that others see', () => {
  for (const name of ['Ana', 'Bea', '']) {
    const doc = new Y.Doc()
    doc.clientID = 7
    const awareness = new Awareness(doc)
    // The page's own state has no color, because the service sends the color only to other pages.
    awareness.setLocalState({ user: { name } })
    awareness.states.set(9, { user: { kind: 'guest', name: 'Carl', role: 'edit', hue: hueOfName('Carl') } })
    expect(people(awareness)[0]?.hue).toBe(hueOfName(name === '' ? 'Guest' : name))
    // Somebody who came earlier has this color, so the service gave the person another one.
    setOwnMark(awareness, 'mine', undefined, 2)
    expect(people(awareness)[0]?.hue).toBe(2)
    awareness.destroy()
  }
})

test('[WEB-84] a reload changes nobody’s color', () => {
  const hue = hueOfName('Ana')
  const twin = Array.from({ length: 100 }, (_, index) => `Twin ${index}`).find((name) => hueOfName(name) === hue) ?? ''
  const coloursOf = (here: readonly (readonly [id: number, name: string, person: string, number?: number])[]): unknown => {
    const awareness = new Awareness(new Y.Doc())
    awareness.setLocalState(null)
    for (const [id, name, person, number] of here)
      awareness.states.set(id, {
        user: { kind: 'guest', name, role: 'edit', person, number, hue: hueOfName(number === undefined ? name : `${name} ${number}`) }
      })
    const found = people(awareness).map((each) => [each.name, each.hue])
    awareness.destroy()
    return Object.fromEntries(found)
  }
  // A page has another client id after each reload.
  const before = coloursOf([
    [1, 'Ana', 'a'],
    [2, twin, 'b'],
    [3, 'Guest', 'c', 27],
    [4, 'Guest', 'd', 28]
  ])
  expect(
    coloursOf([
      [2, twin, 'b'],
      [4, 'Guest', 'd', 28],
      [7, 'Guest', 'c', 27],
      [9, 'Ana', 'a']
    ])
  ).toEqual(before)
  // Unnamed guests keep their color when another guest leaves.
  expect(before).toMatchObject({ 'Guest 27': hueOfName('Guest 27'), 'Guest 28': hueOfName('Guest 28') })
  // A person whose color is taken gets a free one, never that of a third person.
  const next = (hue + 1) % hues === ownHue ? (hue + 2) % hues : (hue + 1) % hues
  const third = Array.from({ length: 100 }, (_, index) => `Third ${index}`).find((name) => hueOfName(name) === next) ?? ''
  expect(
    coloursOf([
      [1, 'Ana', 'a'],
      [2, twin, 'b'],
      [3, third, 'c']
    ])
  ).toMatchObject({ Ana: hue, [third]: next })
})

test('[WHO-3] several tabs of one browser or account are one person, and one’s own tabs are oneself', () => {
  const doc = new Y.Doc()
  doc.clientID = 1
  const awareness = new Awareness(doc)
  const show = (id: number, name: string, person?: string, cursor?: object): void =>
    void awareness.states.set(id, {
      user: { kind: 'guest', name, role: 'edit', hue: 3, ...(person && { person }) },
      ...(cursor && { cursor })
    })
  awareness.setLocalState({ user: { name: 'Ana' } })
  show(2, 'Ana', 'mine')
  show(3, 'Bea', 'hers')
  show(4, 'Bea', 'hers', { anchor: 0 })
  show(5, 'Guest')
  show(6, 'Guest')
  const seen = (): unknown[] => people(awareness).map(({ id, name, self, pages }) => [id, name, self, pages])
  // The service has not identified the person's other pages yet.
  expect(seen().length).toBe(5)
  let changes = 0
  awareness.on('change', () => (changes += 1))
  setOwnMark(awareness, 'mine')
  expect(changes).toBe(1)
  expect(seen()).toEqual([
    [1, 'Ana', true, [1, 2]],
    [4, 'Bea', false, [3, 4]],
    [5, 'Guest', false, [5]],
    [6, 'Guest', false, [6]]
  ])
  const hues = people(awareness).map(({ hue }) => hue)
  expect(new Set(hues).size).toBe(4)
  // Each page has a cursor, so another tab of the same person is shown too.
  expect(otherPages(awareness).map(({ id, self }) => [id, self])).toEqual([
    [2, true],
    [3, false],
    [4, false],
    [5, false],
    [6, false]
  ])
  awareness.destroy()
})

test('[WHO-9] unnamed guests are shown with their number, including oneself', () => {
  const doc = new Y.Doc()
  doc.clientID = 1
  const awareness = new Awareness(doc)
  awareness.setLocalState({ user: { name: '' } })
  awareness.states.set(2, { user: { kind: 'guest', name: 'Guest', role: 'edit', hue: 3, person: 'hers', number: 27 } })
  awareness.states.set(3, { user: { kind: 'guest', name: 'Guest', role: 'edit', hue: 3 } })
  setOwnMark(awareness, 'mine', 412)
  expect(people(awareness).map(({ name, nameless }) => [name, nameless])).toEqual([
    ['Guest 412', true],
    ['Guest 27', true],
    ['Guest', true]
  ])
  expect(people(awareness).map(plainNameOf)).toEqual(['Guest', 'Guest', 'Guest'])
  // Until the guest has a name, comments and suggestions are signed with the number of the guest ("Guest 412").
  expect(signature.value).toBe('Guest 412')
  setPersonName('Ana')
  expect(signature.value).toBe('Ana')
  setPersonName('')
  guestNumber.value = undefined
  expect(signature.value).toBe('')
  awareness.destroy()
})

test('[WHO-12] the device remembers the number of a guest in each document', () => {
  // On the first visit, the number arrives from the service.
  const stop = keepNumber('one')
  expect(signature.value).toBe('')
  guestNumber.value = 412
  stop()
  // The page loads again without a connection.
  guestNumber.value = undefined
  const stopOther = keepNumber('other')
  expect(signature.value).toBe('')
  stopOther()
  const stopAgain = keepNumber('one')
  expect(signature.value).toBe('Guest 412')
  // A number that is known already is newer than the one on the device.
  stopAgain()
  guestNumber.value = 27
  keepNumber('one')()
  guestNumber.value = undefined
  keepNumber('one')()
  expect(signature.value).toBe('Guest 27')
  guestNumber.value = undefined
})

test('[WEB-102] cards, marks, history and activity give a name the color of its person', () => {
  const hue = hueOfName('Ana')
  const twin = Array.from({ length: 100 }, (_, index) => `Twin ${index}`).find((name) => hueOfName(name) === hue) ?? ''
  const here = seenBy(0, ['account Ana', `account ${twin}`])
  noteColours(here)
  for (const person of here) expect(hueOf(person.name), person.name).toBe(person.hue)
  expect(hueOf(twin)).not.toBe(hueOf('Ana'))
  noteColours([])
  expect(hueOf(twin)).toBe(hue)
  // These are the names of unnamed authors, as the service stores them and as the page shows them.
  noteColours(seenBy(0, ['guest Guest', 'guest Guest']))
  expect([hueOf('guest'), hueOf('Guest')]).toEqual(['none', 'none'])
  expect(['guest', 'Guest 27', 'Guestrow', 'Ana 27'].map(displayName)).toEqual(['Guest', 'Guest 27', 'Guestrow', 'Ana 27'])
  expect(hueOf('Guest 27')).toBe(hueOfName('Guest 27'))
  // No other part of the page uses the color of a name directly.
  const web = join(import.meta.dirname, '../web')
  const users = globSync('**/*.{ts,tsx}', { cwd: web }).filter((name) => readFileSync(join(web, name), 'utf8').includes('hueOfName'))
  expect(users.toSorted()).toEqual(['presence/colours.ts', 'presence/people.ts'])
})

test('[WHO-13] entries under a number of one’s own show the name that the person chose later', () => {
  const shown = (number: number | undefined, name: string): string[] => {
    ownNumber.value = number
    accountName.value = name
    return ['Guest 27', 'Guest 28', 'guest', 'Ben'].map(displayName)
  }
  expect(shown(27, 'Ana')).toEqual(['Ana', 'Guest 28', 'Guest', 'Ben'])
  expect(shown(27, '')).toEqual(['Guest 27', 'Guest 28', 'Guest', 'Ben'])
  expect(shown(undefined, 'Ana')).toEqual(['Guest 27', 'Guest 28', 'Guest', 'Ben'])
  noteColours(seenBy(0, ['account Ana']))
  shown(27, 'Ana')
  expect(hueOf('Guest 27')).toBe(hueOf('Ana'))
  noteColours([])
  shown(undefined, '')
})

test('[WHO-14] [WHO-21] the history calls the reader “You”, once, no matter what names the entries have', () => {
  const revision = (authors: string[], author: string | null, more: object = {}): Revision =>
    ({ cause: 'autosave', authorKind: 'guest', ...more, author, authors }) as unknown as Revision
  ownNumber.value = 27
  setPersonName('Ana')
  accountName.value = 'Ana Sousa'
  formerNames.value = ['A. Sousa']
  expect(writersOf('d1', revision(['Ben', 'Guest 27', 'Ana', 'Ana Sousa', 'A. Sousa', 'Guest 28'], null))).toEqual([
    'You',
    'Ben',
    'Guest 28'
  ])
  expect(otherWriters('Ana Sousa', ['Guest 27', 'Ana', 'Ben'])).toEqual(['Ben'])
  expect(otherWriters('Ben', ['Guest 27', 'Ana', 'Ben'])).toEqual(['you'])
  expect(writersOf('d1', revision(['Ana'], 'Ana', { authorKind: 'agent' }))).toEqual(['Ana'])
  // The service did not know the number of the guest when the document was created.
  const created = revision(['guest'], 'guest', { cause: 'create' })
  expect(writersOf('d1', created)).toEqual(['Guest'])
  writeDevice('agmd.made.d1', '1')
  expect([writersOf('d1', created), writersOf('d2', created)]).toEqual([['You'], ['Guest']])
  expect(writersOf('d1', revision(['guest'], 'guest', { cause: 'restore' }))).toEqual(['Guest'])
  writeDevice('agmd.made.d1', null)
  setPersonName('')
  accountName.value = ''
  formerNames.value = []
  ownNumber.value = undefined
})

test('[WHO-10] an unnamed guest is not suggested after @', () => {
  const author = (name: string): object => ({ kind: 'comment', thread: { comment: { author: name, replies: [{ author: 'guest' }] } } })
  const page = {
    here: {
      value: [
        { name: 'Guest 27', nameless: true },
        { name: 'Ana Lee', nameless: false }
      ]
    },
    review: { value: { items: { value: [author('guest'), author('Guest 27'), author('Ben')] } } },
    feed: { value: { events: { value: [{ actor: 'guest' }, { actor: null }] } } }
  } as unknown as Page
  expect(namesAround(page, ['Guest'])).toEqual(['Ana-Lee', 'Ben'])
})

test('[REVIEW-150] the name of an unnamed guest, or its beginning, is no mention', () => {
  const shown = ['Gu', 'guest', 'Guest-27', 'Ana', 'Guestav', 'Gus'].filter((name) => isMention(name, false))
  expect(shown).toEqual(['Ana', 'Guestav', 'Gus'])
  expect(isMention('Gu', true)).toBe(true)
  expect(isMention('Guest', true)).toBe(false)
})

test('[REFUSED-5] a refused link says that part of it may be missing', () => {
  expect(refusalWords.ended.text).toContain('is incomplete.')
})

test('[SHARING-9] a page recognizes the first link of a document, whose name it translates', () => {
  const first = { label: firstLinkLabel, first: true }
  expect([first, { ...first, label: null }, { ...first, first: false }].map(isNamedByService)).toEqual([true, false, false])
})

test('[LINK-8] the first link of a document belongs to the account that owns the document', () => {
  const first = { secret: 'a', first: true }
  const other = { secret: 'b', first: false }
  expect([isOwnLink(first, '', true), isOwnLink(first, '', false), isOwnLink(first, 'a', false)]).toEqual([true, false, true])
  expect([isOwnLink(other, '', true), isOwnLink(other, 'a', true), isOwnLink(other, 'b', false)]).toEqual([false, false, true])
})

test('[LINK-51] of the links that have ended, the latest are listed, and none that a later link replaces', () => {
  const link = (id: string, end: number | null, part: Partial<Share> = {}): Share =>
    ({ id, label: id, role: 'edit', expiresAt: end === null ? null : new Date(end).toISOString(), revoked: false, ...part }) as Share
  const live = [link('lasts', null), link('soon', 3000), link('new', null, { label: 'replaced' })]
  const all = [...live, link('a', 1000), link('b', 2000), link('old', 500, { label: 'a' }), link('gone', 1000, { revoked: true })]
  const idsOf = (given: readonly Share[]): string[] => endedLinks(given, live, 2000).map(({ id }) => id)
  expect(idsOf([...all, link('replaced', 1000), link('viewer', 1, { label: 'replaced', role: 'view' })])).toEqual(['b', 'a', 'viewer'])
  expect(idsOf(Array.from({ length: 30 }, (_, index) => link(String(index), index)))).toHaveLength(10)
})
