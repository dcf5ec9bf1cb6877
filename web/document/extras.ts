/** Connects the editor extras with the page's commands. It is a separate chunk. */
import { effect } from '@preact/signals'
import { bubble, commandOf, slashMenu } from '../commands/all.ts'
import { groups, isPossible } from '../view/command.ts'
import { tooltip } from '../commands/keys.ts'
import { namesOf } from '../commands/names.ts'
import { components } from '../components/blocks.ts'
import type { LinkTarget } from '../editor/completions.ts'
import type { Editor, Extras } from '../editor/setup/editor.ts'
import { createExtras } from '../editor/setup/extras.ts'
import type { Typing } from '../editor/setup/typing.ts'
import { deleteBlock, duplicateBlock, moveBlock } from '../editor/blocks/commands.ts'
import { openBlockMenu } from '../editor/blocks/open-menu.ts'
import { openTableMenu } from '../editor/grid/menu.tsx'
import { insertComponent } from '../components/kind-parts.ts'
import { inserts } from '../editor/inserts.ts'
import { clearFormats } from '../editor/clear-formats.ts'
import { toggleList } from '../editor/list-kinds.ts'
import { indentItem, outdentItem } from '../editor/list-levels.ts'
import { alignColumn, alignColumnTo, deleteRow, moveColumn, moveRow, sortRows } from '../editor/table-moves.ts'
import { isOffered, onOffer } from '../media/offered.ts'
import { RequestError } from '../client/api.ts'
import { failureWords } from '../client/failure.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import '../ui/more-icons.ts'
import { iconPath } from '../ui/icons.tsx'
import { addressOfDocument, createTitled, findDocuments, documentAt, type OwnDocument } from './own-documents.ts'
import { selectTitle } from '../editor/title-place.ts'
import { backToText } from './back-to-text.ts'
import { followSection } from './section-address.ts'
import { toolbarStart } from './toolbar-start.ts'
import type { ExtrasPart, Page } from '../commands/page.ts'

/** Starts watching the text for parts outside it: dialogs, menus and panels, the toolbar, and the address. Returns a function that stops this. */
export function startBeside(page: Page, editor: Editor): () => void {
  const stops = [backToText(page, editor), toolbarStart(editor), followSection(page, editor)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** The extras that the page's commands use. */
export const textCommands: ExtrasPart = {
  openBlockMenu,
  openTableMenu,
  deleteBlock,
  duplicateBlock,
  moveBlock,
  insertComponent,
  inserts,
  alignColumn,
  alignColumnTo,
  indentItem,
  outdentItem,
  clearFormats,
  toggleList,
  moveColumn,
  deleteRow,
  moveRow,
  sortRows,
  selectTitle
}

const runOf = (id: string, page: Page) => (): void => {
  const command = commandOf(id)
  if (isPossible(command, page)) command.run(page)
}

const isOfferedNow = (id: string, page: Page): boolean => {
  const command = commandOf(id)
  return isPossible(command, page) && (command.needs === undefined || isOffered(command.needs))
}

const pathOf = (id: string): string => iconPath(commandOf(id).icon ?? 'pen')

const targetOf = (document: OwnDocument): LinkTarget => ({ title: document.title, address: addressOfDocument(document, location.origin) })

export const extrasOf = (page: Page, typing: readonly Typing[]): Extras =>
  createExtras({
    blocks: slashMenu.map((id) => {
      const command = commandOf(id)
      const { title, group, typed = '' } = command
      return {
        title: t(title),
        names: namesOf(command),
        section: t(groups[group]),
        icon: pathOf(id),
        typed,
        isPossible: () => isOfferedNow(id, page),
        run: runOf(id, page)
      }
    }),
    onChange: onOffer,
    documents: {
      find: async (query, isOver) => (await findDocuments(query, page.session.id, isOver)).map(targetOf),
      mayCreate: () => page.session.canEdit.value && page.session.link.socket.value === 'synced',
      async create(title) {
        try {
          return targetOf(await createTitled(title))
        } catch (error) {
          const needsAccount = error instanceof RequestError && error.status === 401
          toast(needsAccount ? t('Sign in to create documents on this server.') : failureWords(error))
          return undefined
        }
      }
    },
    bubble: bubble.map((id) => ({
      title: t(commandOf(id).title),
      about: tooltip(commandOf(id)),
      icon: pathOf(id),
      isPossible: () => page.session.link.ended.value === undefined && isOfferedNow(id, page),
      isOn: () => page.formats.value.has(id),
      run: runOf(id, page)
    })),
    onFormats: (ids) => (page.formats.value = ids),
    // Calls the listener in a later task, because the editor must not change during an update.
    onRight: (listener) =>
      effect(() => {
        void [page.session.link.ended.value, page.session.role.value, page.session.canEdit.value]
        queueMicrotask(listener)
      }),
    onConnected: (listener) =>
      page.session.link.socket.subscribe((socket) => {
        if (socket === 'synced') queueMicrotask(listener)
      }),
    documentAt(address) {
      const found = documentAt(address, location.origin)
      if (found !== undefined && found.address !== address)
        toast(t('The link was pasted without your key. To give others access, share that document.'))
      return found
    },
    components: components(page),
    tell: toast,
    typing
  })
