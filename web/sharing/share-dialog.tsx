/** The dialog for access to the document: links for people, an invitation for an agent, and the published page. */
import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { includesRole } from '../../shared/roles.ts'
import type { DialogName, View } from '../view/view.ts'
import type { Session } from '../session/session.ts'
import { failureWords } from '../client/failure.ts'
import { t, term } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { panelOf, Tabs } from '../ui/tabs.tsx'
import { AgentTab } from './agent-tab.tsx'
import { linksOf } from './links.ts'
import { LinksTab } from './links-tab.tsx'
import { PublishTab } from './publish-tab.tsx'
import { publishingOf } from './publishing.ts'

const tabs = [
  { id: 'share', name: term('Links'), icon: 'link', shown: LinksTab },
  { id: 'agent', name: term('Invite an agent'), icon: 'bot', shown: AgentTab },
  { id: 'publish', name: term('Publish'), icon: 'globe', shown: PublishTab }
] as const satisfies readonly { readonly id: DialogName; readonly [field: string]: unknown }[]

/** Explains why the person cannot change anything now. Undefined if they can. */
function standing(session: Session): string | undefined {
  if (session.link.ended.value !== undefined)
    return t('Your access to this document has ended. You see the last text that this page received.')
  if (!includesRole(session.role.value, 'edit')) return t('Your link no longer lets you share this document.')
  if (session.chip.value.state === 'offline') return t('You are offline. You can copy existing links. To change links, go back online.')
  return undefined
}

/** Keeps the dialog up to date: after each connection, and when another page of an owner changes something. */
function useCurrent({ session, here }: View): void {
  useEffect(() => {
    const links = linksOf(session)
    const publishing = publishingOf(session)
    // The list contains the link that was created when the dialog was last open.
    links.made.value = undefined
    links.settle()
    const stops = [
      effect(() => {
        // Loads the data again after each connection and whenever the role changes.
        if (session.link.socket.value !== 'synced' || !includesRole(session.role.value, 'edit')) return
        void publishing.load()
      }),
      effect(() => {
        // A visitor has used a link, so the list shows a new last use.
        if (here.value.length > 0 && session.link.socket.value === 'synced' && session.role.value !== null) void links.load()
      }),
      session.onMessage((message) => {
        if (message.type !== 'event') return
        const { kind } = message.event
        if (kind.startsWith('share.')) void links.load()
        if (kind === 'doc.published' || kind === 'doc.unpublished') void publishing.load()
      })
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [session])
}

export function ShareDialog({ view }: { view: View }): JSX.Element {
  const { session } = view
  const current = tabs.find(({ id }) => id === view.dialog.value)?.id ?? 'share'
  const said = standing(session)
  const { failure } = current === 'publish' ? publishingOf(session) : linksOf(session)
  const Shown = tabs.find(({ id }) => id === current)?.shown ?? LinksTab
  useCurrent(view)
  // The browser reports the closing of the dialog slightly late, when another dialog may already be open.
  const close = (): void => {
    if (tabs.some(({ id }) => id === view.dialog.value)) view.dialog.value = undefined
  }
  return (
    <Dialog title={t('Share')} onClose={close}>
      <Tabs
        label={t('Ways to share')}
        tabs={tabs.map(({ id, name, icon }) => ({ id, name: t(name), icon }))}
        current={current}
        onChoose={(id) => (view.dialog.value = id)}
      />
      <div class='share-said' role='alert'>
        {said !== undefined ? (
          <p class='notice warn'>{said}</p>
        ) : (
          failure.value !== undefined && <p class='notice danger'>{failureWords(failure.value)}</p>
        )}
      </div>
      <div class='share-panel' {...panelOf(current)}>
        <Shown view={view} disabled={said !== undefined} />
      </div>
    </Dialog>
  )
}
