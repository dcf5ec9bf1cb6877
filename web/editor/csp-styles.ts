/**
 * CodeMirror writes its rules into a `<style>` element, which the policy of our pages (`style-src 'self'`) leaves without
 * effect. Rules in an adopted style sheet are set by script and need no exception. They go into a cascade layer, so that any
 * rule of `style/editor.css` is stronger. The class that mounts them is not exported by `@codemirror/view`; every theme holds
 * an instance of it.
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

/** Call once, before the first editor is made. */
export function useAdoptedStyles(): void {
  const [theme] = EditorState.create({ extensions: EditorView.theme({ '&': {} }) }).facet(EditorView.styleModule)
  if (theme !== undefined) (theme.constructor as unknown as StyleModuleClass).mount = mount
}
