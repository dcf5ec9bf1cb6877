/** Panels and dialogs of the page, by name: each is loaded when first shown. */
import type { ComponentType } from 'preact'
import type { Page } from '../commands/page.ts'
import type { DialogName, PanelName } from '../view/view.ts'

type Load = () => Promise<ComponentType<{ readonly view: Page }>>

/** Undefined if the layer of comments and suggestions contains it. */
export const panels: Readonly<Record<PanelName, Load | undefined>> = {
  annotations: undefined,
  tasks: undefined,
  activity: async () => (await import('../activity/activity-panel.tsx')).ActivityPanel,
  media: async () => (await import('../media/media-panel.tsx')).MediaPanel
}

/** One dialog for all of its tabs. */
const sharing: Load = async () => (await import('../sharing/share-dialog.tsx')).ShareDialog

/** Two equal dialogs have separate loaders, so that the page shows the other one from its beginning. */
export const dialogs: Readonly<Record<DialogName, Load>> = {
  share: sharing,
  agent: sharing,
  publish: sharing,
  name: async () => (await import('./name-dialog.tsx')).NameDialog,
  rename: async () => (await import('./rename-dialog.tsx')).OpenRenameDialog,
  history: async () => (await import('../history/history-dialog.tsx')).HistoryDialog,
  palette: async () => (await import('../commands/palette.tsx')).Palette,
  switcher: async () => (await import('../commands/palette.tsx')).Palette,
  shortcuts: async () => (await import('../commands/shortcut-sheet.tsx')).ShortcutSheet
}

export const loadCount = async () => (await import('./count-popover.tsx')).Count
export const loadOutline = async () => (await import('./outline.tsx')).Outline
export const loadAsk = async () => (await import('../trash/ask.tsx')).AskToDelete
