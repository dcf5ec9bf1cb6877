/** The commands of the pages. */
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import { type EditorView, keymap, runScopeHandlers } from '@codemirror/view'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { commandOf, commands, toolbar } from '../web/commands/all.ts'
import { endStep, ownUndo } from '../web/editor/binding.ts'
import { markdown } from '../web/editor/language.ts'
import { marking } from '../web/editor/mark-blocks.ts'
import { suggesting } from '../web/review/suggestions/suggesting.ts'
import { isPossible } from '../web/view/command.ts'
import { replaceKeys } from '../web/commands/find.ts'
import { isMac, withoutCapsLock } from '../web/commands/keys.ts'
import { fit } from '../web/base/match.ts'
import type { Page } from '../web/commands/page.ts'

test('[WRITE-1] every command is in one list, with its own id and keys that mean one thing', () => {
  const ids = commands.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  for (const id of toolbar) if (id !== '') expect(commandOf(id).icon, id).toBeDefined()
  const keys = commands.flatMap((command) => (command.keys ?? []).map((key) => ({ key, command })))
  for (const { key } of keys) {
    const same = keys.filter((other) => other.key === key).map(({ command }) => command)
    // All commands with the same key, except the last, must define when the key applies to them.
    for (const command of same.slice(0, -1)) expect(command.keysWhen, `${key}: ${command.id}`).toBeDefined()
  }
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
    inComponent: { value: false }
  }
  return { view, page: page as unknown as Page }
}

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
  const sentSteps = { undo: () => false, redo: () => false, count: () => 0, typed: ignore }
  const { view, page } = pageOf(
    '',
    suggesting(text, {
      onHunks: ignore,
      onUprooted: ignore,
      onDrafts: ignore,
      onLeave: ignore,
      onUndoSent: ignore,
      isExplaining: () => false,
      drafting,
      sentSteps
    })
  )
  const type = (insert: string): void => view.dispatch({ ...view.state.replaceSelection(insert), userEvent: 'input.type' })
  type('word')
  view.dispatch({ selection: { anchor: 0, head: 4 } })
  commandOf('bold').run(page)
  type('new')
  expect(view.state.doc.toString()).toBe('**new**')
  const texts = [1, 2, 3].map(() => {
    view.state.facet(ownUndo)?.undo(view)
    return view.state.doc.toString()
  })
  expect(texts).toEqual(['**word**', 'word', ''])
})
