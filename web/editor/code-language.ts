/** A control at the top of each code block of the live view, which sets the language of the code. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Range } from '@codemirror/state'
import { Decoration, ViewPlugin, WidgetType, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isFenceKind } from '../../shared/fences/fences.ts'
import { t } from '../text/t.ts'
import { endStep } from './binding.ts'

/**
 * Languages that the control offers: the name, and the words in the fence if they are not only the name. The control writes the first word. Names of
 * languages are not translated.
 */
const languages =
  'Bash,bash,sh,shell C C++,cpp,c++ C#,csharp,cs CSS Diff Go HTML Java JavaScript,js,javascript JSON Kotlin,kotlin,kt Markdown,markdown,md PHP Python,python,py Ruby,ruby,rb Rust,rust,rs SQL Swift TypeScript,ts,typescript XML YAML,yaml,yml'

const names = new Map<string, string>()
const offered = languages.split(' ').map((each) => {
  const [name = '', ...words] = each.split(',')
  const [first = name.toLowerCase(), ...others] = words
  for (const word of [first, ...others]) names.set(word, name)
  return first
})

const nameOf = (word: string): string => (word === '' ? t('No language') : (names.get(word.toLowerCase()) ?? word))

/** Returns the range of the language in an opening fence. It is empty if the fence has none. */
function wordIn(state: EditorState, fence: SyntaxNode): { readonly from: number; readonly to: number } | undefined {
  const info = fence.getChild('CodeInfo')
  const from = info?.from ?? fence.firstChild?.to
  if (from === undefined) return undefined
  return { from, to: info === null ? from : from + (/^\S+/.exec(state.sliceDoc(from, info.to))?.[0].length ?? 0) }
}

function fenceAt(state: EditorState, position: number): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (node.name === 'FencedCode') return node
  return undefined
}

function setLanguage(view: EditorView, position: number, language: string): void {
  const fence = fenceAt(view.state, position)
  const word = fence && wordIn(view.state, fence)
  if (word === undefined || view.state.readOnly) return
  const end = view.state.facet(endStep)
  end(view)
  view.dispatch({ changes: { ...word, insert: language }, userEvent: 'input.language' })
  end(view)
  view.focus()
}

class LanguageWidget extends WidgetType {
  readonly language: string

  constructor(language: string) {
    super()
    this.language = language
  }

  override eq(other: LanguageWidget): boolean {
    return other.language === this.language
  }

  override toDOM(view: EditorView): HTMLElement {
    const select = document.createElement('select')
    select.className = 'md-language'
    // Keyboard users change the word in the fence.
    select.tabIndex = -1
    select.title = t('Language of the code')
    select.setAttribute('aria-label', select.title)
    const add = (word: string): void => select.add(new Option(nameOf(word), word))
    add(this.language)
    // The other options are added on demand, because a document may have many code blocks.
    const fill = (): void => {
      if (select.length === 1) for (const word of ['', ...offered]) if (nameOf(word) !== nameOf(this.language)) add(word)
    }
    select.addEventListener('pointerdown', fill)
    select.addEventListener('focus', fill)
    select.addEventListener('change', () => setLanguage(view, view.posAtDOM(select), select.value))
    return select
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function draw(view: EditorView): DecorationSet {
  const { state } = view
  const found: Range<Decoration>[] = []
  const { from, to } = state.selection.main
  if (state.readOnly) return Decoration.none
  for (const visible of view.visibleRanges)
    syntaxTree(state).iterate({
      ...visible,
      enter({ name, node }) {
        if (name !== 'FencedCode') return true
        const word = wordIn(state, node)
        const line = state.doc.lineAt(node.from)
        const language = word === undefined ? '' : state.sliceDoc(word.from, word.to)
        const isDrawn = isFenceKind(language) || language === 'mermaid'
        // The person is still typing a fence that has no second line.
        if (word === undefined || isDrawn || line.from < visible.from || node.to <= line.to) return false
        found.push(Decoration.widget({ widget: new LanguageWidget(language), side: 1 }).range(line.to))
        // The control shows the language. The word is visible while the fence is, so that it can be typed.
        if (language !== '' && (to < node.from || from > node.to)) found.push(Decoration.replace({}).range(word.from, word.to))
        return false
      }
    })
  return Decoration.set(found, true)
}

/** Draws the controls of the visible code blocks. */
export const codeLanguage = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = draw(view)
    }

    update({ view }: ViewUpdate): void {
      this.decorations = draw(view)
    }
  },
  { decorations: (value) => value.decorations }
)
