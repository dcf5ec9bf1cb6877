/** Panels and dialogs of the page, by name. The code of each loads when it is first shown. */
import type { ComponentType } from 'preact'
import type { Page } from '../commands/page.ts'
import type { DialogName, PanelName } from '../view/view.ts'

type Load = () => Promise<ComponentType<{ readonly view: Page }>>

/** The code of each panel. It is undefined if the layer for comments and suggestions draws the panel. */
export const panels: Readonly<Record<PanelName, Load | undefined>> = {
  annotations: undefined,
  tasks: undefined,
  activity: async () => (await import('../activity/activity-panel.tsx')).ActivityPanel,
  media: async () => (await import('../media/media-panel.tsx')).MediaPanel
}

/** One dialog contains all tabs for sharing. */
const sharing: Load = async () => (await import('../sharing/share-dialog.tsx')).ShareDialog

/** Each entry is a separate function, even if two dialogs are the same, so that the page starts a new dialog when it switches between them. */
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

export const fetchCount = () => import('./count-popover.tsx')
export const loadCount = async () => (await fetchCount()).Count
export const loadLinkEnd = async () => (await import('./link-end.tsx')).LinkEnd
export const fetchOutline = () => import('./outline.tsx')
export const loadOutline = async () => (await fetchOutline()).Outline
export const loadEnded = async () => (await import('./ended-notice.tsx')).EndedNotice
export const loadHeld = async () => (await import('./held-notice.tsx')).HeldNotice
export const loadAsk = async () => (await import('../trash/ask.tsx')).AskToDelete
