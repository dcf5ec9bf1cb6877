/** Commands that format a range of text or entire lines. */
import { cycleHeading, setHeading, toggleQuote } from '../editor/commands-block.ts'
import type { ListKind } from '../editor/list-kinds.ts'
import { insertLink, toggleMarker } from '../editor/commands-inline.ts'
import type { EditorView } from '@codemirror/view'
import type { Page } from './page.ts'
import { followOrToggle } from '../editor/live/follow.ts'
import { addressOf, editLink, linkAt, withoutLink, type LinkAt } from '../editor/live/link-at.ts'
import { t, term } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import type { IconName } from '../ui/icons.tsx'
import { hasPicture } from './insert.ts'
import { isWriting, notInCode, notInCodeBlock, notInComponent, onText, type Command } from '../view/command.ts'

const heading = (level: 1 | 2 | 3 | 4 | 5 | 6, title: string, words: string): Command<Page> => ({
  id: `heading.${level}`,
  title,
  words,
  group: 'blocks',
  icon: level > 4 ? 'heading' : `heading-${level as 1 | 2 | 3 | 4}`,
  typed: '#'.repeat(level),
  keys: [`Mod-Alt-${level}`],
  ...onText(setHeading(level)),
  ...notInCodeBlock
})

/** Returns the link at the caret if the view shows a card for it. */
const linkOf = (page: Page): LinkAt | undefined => {
  const state = page.editor.value?.view.state
  const mayBe = isWriting(page) && page.mode.value === 'live' && page.inCode.value === undefined && state?.selection.main.empty === true
  return mayBe ? linkAt(state, state.selection.main.head) : undefined
}

/** Creates a command on the link at the caret. */
const ofLink = (
  id: string,
  title: string,
  icon: IconName,
  more: Pick<Command<Page>, 'keys'>,
  run: (view: EditorView, link: LinkAt) => boolean
): Command<Page> => ({
  id: `link.${id}`,
  title,
  icon,
  group: 'format',
  ...more,
  when: (page) => linkOf(page) !== undefined,
  // A link may contain a picture, and then the keys act on the picture.
  keysWhen: (page) => linkOf(page) !== undefined && !hasPicture(page),
  run(page) {
    const link = linkOf(page)
    const view = page.editor.value?.view
    return link !== undefined && view !== undefined && run(view, link)
  }
})

/** Opens the card of the link at the caret to edit its address. Returns false if there is none. */
function edited(view: EditorView): boolean {
  view.dispatch({ effects: editLink.of(null) })
  return true
}

/** Creates a command that makes lines a list. Its code loads with the editor extras. */
const list = (kind: ListKind): Pick<Command<Page>, 'when' | 'run' | 'barred'> => ({
  when: isWriting,
  ...notInCodeBlock,
  run: (page) => void page.parts.withExtras((part) => page.editor.value !== undefined && part.toggleList(kind)(page.editor.value.view))
})

/** Moves a list item by one level. A phone has no Tab key. */
const level = (id: 'indent' | 'outdent', title: string, icon: IconName): Command<Page> => ({
  id: `list.${id}`,
  title,
  group: 'blocks',
  icon,
  when: isWriting,
  ...notInComponent,
  run: (page) => void page.parts.withExtras((part) => page.editor.value !== undefined && part[`${id}Item`](page.editor.value.view))
})

export const formatCommands: readonly Command<Page>[] = [
  {
    id: 'bold',
    title: term('Bold'),
    typed: '**',
    group: 'format',
    icon: 'bold',
    keys: ['Mod-b'],
    ...onText(toggleMarker('**')),
    ...notInCode
  },
  {
    id: 'italic',
    title: term('Italic'),
    typed: '*',
    group: 'format',
    icon: 'italic',
    keys: ['Mod-i'],
    ...onText(toggleMarker('*')),
    ...notInCode
  },
  {
    id: 'strikethrough',
    title: term('Strikethrough'),
    group: 'format',
    icon: 'strikethrough',
    keys: ['Mod-Shift-x'],
    ...onText(toggleMarker('~~')),
    ...notInCode
  },
  {
    id: 'highlight',
    title: term('Highlight'),
    words: term('mark yellow marker'),
    typed: '==',
    group: 'format',
    icon: 'highlighter',
    keys: ['Mod-Shift-h'],
    ...onText(toggleMarker('==')),
    ...notInCode
  },
  {
    id: 'code',
    title: term('Code'),
    typed: '`',
    group: 'format',
    icon: 'code',
    keys: ['Mod-e'],
    ...onText(toggleMarker('`')),
    ...notInCodeBlock
  },
  {
    id: 'format.clear',
    title: term('Clear formatting'),
    words: term('remove bold italic plain'),
    group: 'format',
    keys: ['Mod-\\'],
    // Without a selection, the key shows the outline.
    keysWhen: (page) => isWriting(page) && page.editor.value?.view.state.selection.main.empty === false,
    when: isWriting,
    run: (page) => void page.parts.withExtras((part) => page.editor.value !== undefined && part.clearFormats(page.editor.value.view)),
    ...notInCodeBlock
  },
  {
    id: 'link',
    typed: '[]()',
    title: term('Link'),
    words: term('address URL website'),
    group: 'format',
    icon: 'link',
    keys: ['Mod-k'],
    // In a link or a picture, the same key edits that link or picture. Where no link is possible, the key opens the palette.
    keysWhen: (page) => isWriting(page) && linkOf(page) === undefined && !hasPicture(page),
    when: isWriting,
    ...notInCode,
    // In a link, the toolbar button edits that link, like the key that its tooltip shows. Links cannot be nested.
    run(page) {
      const view = page.editor.value?.view
      return view !== undefined && (linkOf(page) === undefined ? insertLink(view) : edited(view))
    }
  },
  ofLink('edit', term('Edit link'), 'pen', { keys: ['Mod-k'] }, edited),
  ofLink('open', term('Open link'), 'external', {}, (view) => followOrToggle(view)),
  ofLink('copy', term('Copy address'), 'copy', {}, (view, link) => {
    void copyText(addressOf(view.state, link), t('Address'))
    return true
  }),
  ofLink('remove', term('Remove link'), 'unlink', {}, (view, link) => {
    view.dispatch({ changes: withoutLink(view.state, link), userEvent: 'delete.link' })
    return true
  }),
  { id: 'heading.next', title: term('Heading'), group: 'blocks', icon: 'heading', ...onText(cycleHeading), ...notInCodeBlock },
  heading(1, term('Heading 1'), term('title large')),
  heading(2, term('Heading 2'), term('section medium')),
  heading(3, term('Heading 3'), term('subsection small')),
  heading(4, term('Heading 4'), term('subsection smallest')),
  heading(5, term('Heading 5'), term('subsection smallest')),
  heading(6, term('Heading 6'), term('subsection smallest')),
  {
    id: 'heading.none',
    title: term('Text'),
    words: term('paragraph'),
    group: 'blocks',
    keys: ['Mod-Alt-0'],
    ...onText(setHeading(0)),
    ...notInCodeBlock
  },
  {
    id: 'list.bullet',
    typed: '-',
    title: term('Bulleted list'),
    words: term('unordered points'),
    group: 'blocks',
    icon: 'list',
    keys: ['Mod-Shift-8'],
    ...list('bullet')
  },
  {
    id: 'list.number',
    typed: '1.',
    title: term('Numbered list'),
    words: term('ordered steps'),
    group: 'blocks',
    icon: 'list-ordered',
    keys: ['Mod-Shift-7'],
    ...list('number')
  },
  {
    id: 'list.task',
    typed: '[]',
    title: term('Task list'),
    words: term('to-do check box'),
    group: 'blocks',
    icon: 'list-todo',
    keys: ['Mod-Shift-9'],
    ...list('task')
  },
  level('outdent', term('Outdent'), 'arrow-left'),
  level('indent', term('Indent'), 'arrow-right'),
  {
    id: 'quote',
    title: term('Quote'),
    words: term('citation'),
    typed: '>',
    group: 'blocks',
    icon: 'quote',
    ...onText(toggleQuote),
    ...notInCodeBlock
  }
]
