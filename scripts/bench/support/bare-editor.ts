/** CodeMirror with nothing of ours but the keys that everybody needs. Runs in the browser: `globalThis.bareEditor(text)`. */
import { defaultKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'

const open = (text: string): EditorView =>
  new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: text, extensions: [keymap.of(defaultKeymap), EditorView.lineWrapping] })
  })

Object.assign(globalThis, { bareEditor: open })
