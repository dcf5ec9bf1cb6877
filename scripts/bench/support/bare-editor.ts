/**
 * CodeMirror without any agmd code. It runs in the browser as `globalThis.bareEditor(text, setup)`. The setup `basic` has the extensions of the
 * package `codemirror` (its `basicSetup`), GitHub-flavored Markdown and wrapped lines. The setup `keys` is a minimal editor: it has the default keys
 * and wrapped lines, but no language.
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
