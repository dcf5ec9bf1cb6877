/**
 * CodeMirror without any of our code. Runs in the browser: `globalThis.bareEditor(text, setup)`. `basic`: the extensions of the package `codemirror`
 * (its `basicSetup`), GitHub-flavoured Markdown and wrapped lines. `keys`: the default keys and wrapped lines without a language: a minimal editor.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import {
  Language,
  LanguageSupport,
  bracketMatching,
  defaultHighlightStyle,
  defineLanguageFacet,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting
} from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  EditorView,
  crosshairCursor,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection
} from '@codemirror/view'
import { GFM, parser } from '@lezer/markdown'

export type Setup = 'basic' | 'keys'

const markdown = new LanguageSupport(new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown'))

const setups: Readonly<Record<Setup, () => Extension>> = {
  keys: () => keymap.of(defaultKeymap),
  basic: () => [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    foldGutter(),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    rectangularSelection(),
    crosshairCursor(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap]),
    markdown
  ]
}

const open = (text: string, setup: Setup): EditorView =>
  new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: text, extensions: [setups[setup](), EditorView.lineWrapping] })
  })

Object.assign(globalThis, { bareEditor: open })
