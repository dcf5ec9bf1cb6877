/** The top bar: title, state of the connection, people present, and sharing. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { canShare } from '../sharing/commands.ts'
import { accountName, initials, personName } from '../presence/person.ts'
import type { Person } from '../presence/people.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Icon, type IconName, Logo } from '../ui/icons.tsx'
import { t, term } from '../text/t.ts'
import { commandOf } from '../commands/all.ts'
import { tooltip } from '../commands/keys.ts'
import { Menu } from './menu.tsx'
import type { Page } from '../commands/page.ts'
import type { Mode } from '../view/view.ts'
import { ReviewButtons } from './review-buttons.tsx'
import type { Session } from '../session/session.ts'

const avatarsMax = 5

/** The avatar of another person. Clicking it follows that person's cursor. */
function Avatar({ person, view }: { person: Person; view: Page }): JSX.Element {
  const followed = person.pages.some((id) => id === view.following.value)
  const role = roleWords[person.role]
  const who = role === undefined ? person.name : t('{name} ({role})', { name: person.name, role: t(role) })
  return (
    <li>
      <button
        type='button'
        class={`avatar hue-${person.hue} ${person.kind}`}
        aria-pressed={followed}
        aria-label={t('Follow {name}', { name: who })}
        title={followed ? t('Stop following {name}', { name: who }) : t('Follow {name}', { name: who })}
        disabled={view.mode.value === 'read'}
        onClick={() => (view.following.value = followed ? undefined : person.id)}
      >
        {person.kind === 'agent' ? <Icon name='bot' size={16} /> : <span aria-hidden='true'>{initials(person.name)}</span>}
      </button>
    </li>
  )
}

const roleWords: Readonly<Record<string, string>> = {
  view: term('can read'),
  comment: term('can comment'),
  suggest: term('can suggest'),
  edit: term('can edit'),
  owner: term('owner')
}

/** The person's own avatar, as others see it. Guests change their name with it. */
function Self({ view }: { view: Page }): JSX.Element | null {
  const me = view.here.value.find(({ self }) => self)
  if (me === undefined) return null
  const isGuest = me.kind === 'guest' && accountName.value === ''
  const words =
    personName.value === '' && isGuest ? t('You are {name}. Set your name', { name: me.name }) : t('You ({name})', { name: me.name })
  return (
    <li class='avatar-self'>
      <button
        type='button'
        class={`avatar hue-${me.hue} ${me.kind}`}
        aria-label={words}
        aria-haspopup='dialog'
        title={words}
        disabled={!isGuest}
        onClick={() => (view.dialog.value = 'name')}
      >
        <span aria-hidden='true'>{initials(me.name)}</span>
      </button>
    </li>
  )
}

function Avatars({ view }: { view: Page }): JSX.Element | null {
  const others = view.here.value.filter((person) => !person.self)
  if (others.length === 0) return null
  const hidden = others.length - avatarsMax
  return (
    <ul class='avatars' aria-label={t('Here now')}>
      <Self view={view} />
      {others.slice(0, avatarsMax).map((person) => (
        <Avatar key={person.pages[0]} person={person} view={view} />
      ))}
      {hidden > 0 && (
        <li
          class='avatar more'
          title={others
            .slice(avatarsMax)
            .map(({ name }) => name)
            .join(', ')}
        >
          +{hidden}
        </li>
      )}
    </ul>
  )
}

interface ModeButton {
  readonly mode: Mode
  readonly name: string
  readonly about: string
  readonly icon: IconName
}

const modeButtons: readonly ModeButton[] = [
  { mode: 'read', name: term('Read'), about: term('Show the text as published'), icon: 'book-open' },
  { mode: 'source', name: term('Source'), about: term('Show the Markdown source'), icon: 'code' }
]

/** The buttons for the reading view and the source. If neither is pressed, the live view is active. */
function ModeSwitch({ view }: { view: Page }): JSX.Element {
  const press = (mode: Mode): void => {
    view.setMode(view.mode.value === mode ? 'live' : mode)
    if (view.mode.value !== 'read') view.editor.value?.view.focus()
  }
  return (
    <>
      {modeButtons.map(({ mode, name, about, icon }) => (
        <button
          key={mode}
          type='button'
          class={mode === 'source' ? 'button quiet mode wide-only' : 'button quiet mode'}
          aria-pressed={view.mode.value === mode}
          title={t(about)}
          onClick={() => press(mode)}
        >
          <Icon name={icon} size={18} />
          <span>{t(name)}</span>
        </button>
      ))}
    </>
  )
}

function ActivityButton({ view: { feed, panel } }: { view: Page }): JSX.Element {
  const unread = feed.value?.unread.value === true
  const open = panel.value === 'activity'
  return (
    <IconButton
      icon='bell'
      label={unread ? t('New activity') : t('Activity')}
      title={t('Activity')}
      size={18}
      class={unread ? 'mode activity unread' : 'mode activity'}
      aria-pressed={open}
      onClick={() => (panel.value = open ? undefined : 'activity')}
    />
  )
}

/** This is a separate component, because it changes with every key press. */
function ConnectionChip({ session }: { session: Session }): JSX.Element {
  const { state, label, detail, held } = session.chip.value
  const words = useRef<HTMLDivElement>(null)
  // The label continues with the place where changes are stored. If there is no space for that part, clicking the chip shows the complete text.
  const comma = label.indexOf(',')
  const [word, rest] = comma === -1 ? [label, ''] : [label.slice(0, comma), label.slice(comma)]
  return (
    <>
      {/* Screen readers read the text of the chip. Where there is only space for a dot, clicking it shows the text. */}
      <span class={`chip ${state}`} title={detail} data-state={state} data-held={held} onClick={() => words.current?.showPopover()}>
        <span class='chip-word'>{word}</span>
        <span class='chip-rest'>{rest}</span>
      </span>
      <div class='menu chip-words' popover='auto' ref={words}>
        <strong>{label}</strong>
        <p>{detail}</p>
      </div>
    </>
  )
}

/** The controls that depend on the person. They appear together with the text, so that nothing moves. */
function Controls({ view }: { view: Page }): JSX.Element {
  return (
    <>
      <Avatars view={view} />
      <ReviewButtons view={view} />
      <ActivityButton view={view} />
      <ModeSwitch view={view} />
      {canShare(view) && (
        <>
          <IconButton icon='bot' label={t('Invite an agent')} class='invite' onClick={() => (view.dialog.value = 'agent')} />
          <button type='button' class='button primary share' onClick={() => (view.dialog.value = 'share')}>
            <Icon name='users' size={18} />
            <span>{t('Share')}</span>
          </button>
        </>
      )}
    </>
  )
}

/** Selects the document's title in the text, or opens the dialog if the title is not in the text. */
function goToTitle(view: Page): void {
  const { givenTitle, setTitle, canEdit } = view.session
  if (givenTitle.value !== null && setTitle.value === undefined && canEdit.value) {
    view.dialog.value = 'rename'
    return
  }
  const editor = view.editor.value?.view
  if (view.mode.value === 'read' || editor === undefined) {
    document.querySelector('.reading')?.scrollTo({ top: 0 })
    return
  }
  void view.parts.withExtras(({ selectTitle }) => selectTitle(editor))
}

export function TopBar({ view }: { view: Page }): JSX.Element {
  const { session } = view
  return (
    <header class='top-bar'>
      <a class='button quiet icon-only home-link' href='/' aria-label={t('All documents')} title={t('All documents')}>
        <Logo />
      </a>
      <IconButton
        icon='list-tree'
        label={t('Outline')}
        title={tooltip(commandOf('outline'))}
        class='outline-toggle'
        aria-pressed={view.outline.value}
        onClick={() => view.setOutline(!view.outline.value)}
      />
      <a
        class='document-title'
        href={`/d/${session.id}`}
        title={t('Go to the title: {title}', { title: session.title.value })}
        onClick={(event: MouseEvent) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          goToTitle(view)
        }}
      >
        {session.title.value}
      </a>
      <ConnectionChip session={session} />
      <span class='spread' />
      {session.state.value === 'open' && <Controls view={view} />}
      <Menu view={view} />
    </header>
  )
}
