/**
 * Makes CodeMirror's styles work with the content security policy of the pages (`style-src 'self'`). CodeMirror writes its rules into a `<style>`
 * element, which the policy blocks, but scripts may set the rules of an adopted style sheet. The rules go into a cascade layer, so that every rule of
 * `style/editor.css` overrides them. `@codemirror/view` does not export the class that mounts its rules, but every theme contains an instance of it.
 */
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

interface StyleModule {
  getRules(): string
}
interface StyleModuleClass {
  mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[]): void
}

const sheet = new CSSStyleSheet()
const mounted = new Set<StyleModule>()

function mount(_root: unknown, modules: StyleModule | readonly StyleModule[]): void {
  const list = Array.isArray(modules) ? (modules as readonly StyleModule[]) : [modules as StyleModule]
  if (list.every((module) => mounted.has(module))) return
  for (const module of list) mounted.add(module)
  sheet.replaceSync(`@layer codemirror { ${[...mounted].map((module) => module.getRules()).join('\n')} }`)
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets]
}

/** Makes CodeMirror put its styles in the adopted style sheet. Call it once, before the first editor is created. */
export function useAdoptedStyles(): void {
  const [theme] = EditorState.create({ extensions: EditorView.theme({ '&': {} }) }).facet(EditorView.styleModule)
  if (theme !== undefined) (theme.constructor as unknown as StyleModuleClass).mount = mount
}
