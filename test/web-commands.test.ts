/** The commands of the pages. */
import { undo } from '@codemirror/commands'
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { type EditorView, keymap, runScopeHandlers } from '@codemirror/view'
import { expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { commandOf, commands, toolbar } from '../web/commands/all.ts'
import { endStep, ownUndo } from '../web/editor/binding.ts'
import { clearFormats } from '../web/editor/clear-formats.ts'
import { openUndoOrder } from '../web/editor/undo-order.ts'
import { markdown } from '../web/editor/language.ts'
import { toggleList } from '../web/editor/list-kinds.ts'
import { marking } from '../web/editor/mark-blocks.ts'
import { suggesting } from '../web/review/suggestions/suggesting.ts'
import { isPossible } from '../web/view/command.ts'
import { laterCommands } from '../web/commands/later.ts'
import { signedIn } from '../web/client/signed-in.ts'
import { replaceKeys } from '../web/commands/find.ts'
import { isMac, withoutCapsLock } from '../web/commands/keys.ts'
import { best, fit } from '../web/base/match.ts'
import { namesOf } from '../web/commands/names.ts'
import { de } from '../web/text/de.ts'
import { Toasts } from '../web/ui/toast.tsx'
import type { ExtrasPart, Page } from '../web/commands/page.ts'

test('[WRITE-1] every command is in one list, with its own id and keys that mean one thing', () => {
  const ids = [...commands, ...laterCommands].map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(laterCommands.filter(({ keys }) => keys !== undefined)).toEqual([])
  for (const id of toolbar) if (id !== '') expect(commandOf(id).icon, id).toBeDefined()
  const keys = commands.flatMap((command) => (command.keys ?? []).map((key) => ({ key, command })))
  for (const { key } of keys) {
    const same = keys.filter((other) => other.key === key).map(({ command }) => command)
    // All commands with the same key, except the last, must define when the key applies to them.
    for (const command of same.slice(0, -1)) expect(command.keysWhen, `${key}: ${command.id}`).toBeDefined()
  }
})

test('[WEB-110] the palette offers the other themes, the other language, and to sign in or out', () => {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } })
  const offered = (): string[] =>
    laterCommands.filter((command) => command.group === 'settings' && isPossible(command, {} as unknown as Page)).map(({ title }) => title)
  expect(offered()).toEqual(['Theme: Light', 'Theme: Dark', 'Language: Deutsch'])
  signedIn.value = false
  expect(offered()).toContain('Sign in')
  signedIn.value = true
  expect(offered()).toContain('Sign out')
  expect(offered()).not.toContain('Sign in')
  signedIn.value = undefined
  vi.unstubAllGlobals()
})

test('[WRITE-85] Ctrl-H opens find and replace, and on a Mac only Cmd-Alt-F', () => {
  expect(replaceKeys(false)).toEqual(['Mod-h', 'Mod-Alt-f'])
  expect(replaceKeys(true)).toEqual(['Mod-Alt-f'])
  expect(commandOf('replace').keys).toEqual(replaceKeys(isMac))
})

test('[WRITE-2] a command is found by letters of its name, the nearest first', () => {
  expect(fit('', 'Bold')).toBeGreaterThan(0)
  expect(fit('xyz', 'Bold')).toBe(0)
  expect(fit('ta', 'Table')).toBeGreaterThan(fit('ta', 'Heading at'))
  expect(fit('bll', 'Bulleted list')).toBeGreaterThan(0)
  expect(fit('uberschrift', 'Überschrift 1')).toBeGreaterThan(0)
  expect(fit('list', 'Task list')).toBeGreaterThan(fit('list', 'Lines in steps'))
})

test('[WRITE-262] the palette finds the word count in both languages', () => {
  const german = (text: string): string => String(de[text] ?? text)
  for (const [query, translate] of [
    ['word count', undefined],
    ['count words', undefined],
    ['wörter zählen', german],
    ['wortzahl', german]
  ] as const)
    expect(best(query, laterCommands, (command) => namesOf(command, translate))[0]?.id, query).toBe('words.count')
})

test('[REVIEW-62] after access has ended, actions that need a right are impossible, but reading works', () => {
  const page = (ended: string | undefined): Page =>
    ({
      session: { role: { value: 'edit' }, canEdit: { value: ended === undefined }, link: { ended: { value: ended } } }
    }) as unknown as Page
  for (const id of ['comment', 'suggesting', 'suggestion.accept', 'annotation.resolve']) {
    expect(isPossible(commandOf(id), page(undefined)), id).toBe(true)
    for (const ended of ['credential_ended', 'deleted', 'too_big']) expect(isPossible(commandOf(id), page(ended)), id).toBe(false)
  }
  for (const id of ['panel.annotations', 'annotation.next']) expect(isPossible(commandOf(id), page('credential_ended')), id).toBe(true)
})

test('[WRITE-76] a shortcut with Shift means the same with Caps Lock on', () => {
  const done: string[] = []
  const note = (name: string) => (): boolean => done.push(name) > 0
  const view = {
    state: EditorState.create({
      extensions: keymap.of([
        { key: 'Ctrl-z', run: note('undo') },
        { key: 'Ctrl-Shift-z', run: note('redo') }
      ])
    })
  } as EditorView
  const press = (key: string, shiftKey: boolean): void => {
    const event = { key, keyCode: 90, ctrlKey: true, metaKey: false, altKey: false, shiftKey } as KeyboardEvent
    withoutCapsLock(event)
    runScopeHandlers(view, event, 'editor')
  }
  press('Z', true)
  press('z', false)
  // Caps Lock is on.
  press('z', true)
  press('Z', false)
  expect(done).toEqual(['redo', 'undo', 'redo', 'undo'])
})

/** Creates a page whose editor has no window. `done` is called with the text after each change. */
function pageOf(doc: string, extensions: Extension, done: (text: string) => void = () => undefined) {
  let state = EditorState.create({ doc, selection: { anchor: 0, head: doc.length }, extensions: [markdown(), marking, extensions] })
  const view = {
    get state() {
      return state
    },
    dispatch(spec: TransactionSpec) {
      const before = state.doc
      state = state.update(spec).state
      if (state.doc !== before) done(state.doc.toString())
    }
  } as unknown as EditorView
  const page = {
    editor: { value: { view } },
    canType: { value: true },
    mode: { value: 'live' },
    inCode: { value: undefined },
    inComponent: { value: false },
    parts: { withExtras: (run: (part: Pick<ExtrasPart, 'toggleList' | 'clearFormats'>) => void) => run({ toggleList, clearFormats }) }
  }
  return { view, page: page as unknown as Page }
}

test.each([
  ['**one** and *two* and `x` ~~s~~', 'one and two and x s'],
  ['# Head **one** [li **b**](http://a.b) ==h==', '# Head one [li b](http://a.b) h'],
  ['- **a**\n- b *c*\n\n> ***d***', '- a\n- b c\n\n> d']
])('[WRITE-269] the formats of %j are cleared by a key, as one undo step', (before, expected) => {
  const ended: number[] = []
  let changes = 0
  const { view, page } = pageOf(
    before,
    endStep.of(() => void ended.push(changes)),
    () => void changes++
  )
  view.dispatch({ selection: { anchor: 0, head: before.length } })
  const clear = commandOf('format.clear')
  expect(clear.keys).toEqual(['Mod-\\'])
  clear.run(page)
  expect(view.state.doc.toString()).toBe(expected)
  expect(ended).toEqual([0, changes])
})

test('[WRITE-97] a command that changes the text ends the undo step before it and its own', () => {
  for (const id of ['bold', 'link', 'heading.1', 'list.task', 'quote', 'insert.code']) {
    const order: string[] = []
    const { page } = pageOf(
      'word',
      endStep.of(() => void order.push('end')),
      () => void order.push('change')
    )
    commandOf(id).run(page)
    expect(order, id).toEqual(['end', 'change', 'end'])
  }
})

test('[WRITE-97] while suggesting, too, a command is an undo step of its own', () => {
  const text = new Y.Doc().getText()
  const ignore = (): undefined => undefined
  const drafting = { sent: () => [], formers: () => [], follow: ignore }
  const { view, page } = pageOf(
    '',
    suggesting(text, {
      onHunks: ignore,
      onUprooted: ignore,
      onDrafts: ignore,
      onLeave: ignore,
      isExplaining: () => false,
      drafting,
      typedSteps: { follow: ignore }
    })
  )
  const type = (insert: string): void => view.dispatch({ ...view.state.replaceSelection(insert), userEvent: 'input.type' })
  type('word')
  view.dispatch({ selection: { anchor: 0, head: 4 } })
  commandOf('bold').run(page)
  type('new')
  expect(view.state.doc.toString()).toBe('**new**')
  const texts = [1, 2, 3].map(() => {
    undo(view)
    return view.state.doc.toString()
  })
  expect(texts).toEqual(['**word**', 'word', ''])
})

test('[WEB-111] after an undo or redo, the page no longer says that there is nothing to undo', () => {
  const steps = { undo: false, redo: false }
  const order = openUndoOrder({ view: { state: EditorState.create() }, canEdit: () => true })
  const { page } = pageOf('', ownUndo.of({ ...order, undo: () => steps.undo, redo: () => steps.redo }))
  const shown = (): boolean => JSON.stringify(Toasts({})).includes('Nothing to undo')
  for (const step of ['undo', 'redo'] as const) {
    steps.undo = false
    commandOf('undo').run(page)
    expect(shown()).toBe(true)
    commandOf('redo').run(page)
    expect(shown()).toBe(true)
    steps[step] = true
    commandOf(step).run(page)
    expect(shown(), step).toBe(false)
  }
})
