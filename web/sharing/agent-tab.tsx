/** The tab that creates a link for an agent and shows everything that the agent needs. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import type { Role } from '../../shared/roles.ts'
import { t, term } from '../text/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { instructions, type Instruction } from './agent-text.ts'
import { linksOf } from './links.ts'
import type { TabInput } from './tab.ts'
import type { Share } from './requests.ts'
import { roleWords } from './role-words.ts'

/** The roles that a person can offer to an agent, which never include owner, and their labels for translation. */
const offers: readonly (readonly [Role, string])[] = [
  ['suggest', term('Can suggest changes. You accept or reject them.')],
  ['edit', term('Can edit the text while you watch.')],
  ['comment', term('Can read and comment.')],
  ['view', term('Can read.')]
]

function Block({ title, about, text, first }: Instruction & { readonly first: boolean }): JSX.Element {
  const name = t(title)
  return (
    <section class='instruction' aria-label={name}>
      <header>
        <h3>{name}</h3>
        <CopyButton
          text={text}
          what={name}
          words={t('Copy')}
          label={t('Copy: {name}', { name })}
          class={first ? 'button primary' : 'button'}
        />
      </header>
      <p class='muted'>{t(about)}</p>
      {/* The element scrolls, so keyboard users must be able to focus it. */}
      <pre tabIndex={0} role='group' aria-label={name}>
        {text}
      </pre>
    </section>
  )
}

function Invited({ id, share, onBack }: { id: string; share: Share; onBack: () => void }): JSX.Element {
  const title = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => title.current?.focus(), [share.id])
  const { secret, role } = share
  return (
    <>
      <div class='invited-head'>
        <h3 tabIndex={-1} ref={title}>
          {share.label ?? t('Unnamed link')} · {t(roleWords[role])}
        </h3>
        <button type='button' class='button quiet' onClick={onBack}>
          {t('Invite another')}
        </button>
      </div>
      {instructions({ origin: location.origin, id, secret, role }).map((instruction, index) => (
        <Block key={instruction.title} {...instruction} first={index === 0} />
      ))}
    </>
  )
}

export function AgentTab({ view, disabled }: TabInput): JSX.Element {
  const links = linksOf(view.session)
  const label = useSignal(t('Agent'))
  const busy = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  const invited = links.invited.value
  const wasInvited = useRef(false)
  useEffect(() => {
    // When the person returns to the choice of a role, the focused element no longer exists.
    if (wasInvited.current && invited === undefined) field.current?.focus()
    wasInvited.current = invited !== undefined
  }, [invited])
  const back = (): void => {
    links.invited.value = undefined
  }
  if (invited !== undefined) return <Invited id={view.session.id} share={invited} onBack={back} />

  const invite = async (role: Role): Promise<void> => {
    if (busy.value || disabled) return
    busy.value = true
    links.invited.value = await links.create({ label: label.value, role, expiry: 'never', day: '' })
    busy.value = false
  }
  return (
    <>
      <p class='muted'>{t('An agent only needs its own link. Choose what it can do, then copy the instructions for it.')}</p>
      <label class='field'>
        <span>{t('Name of the link')}</span>
        <input
          ref={field}
          type='text'
          maxLength={limits.labelUnitsMax}
          autocomplete='off'
          value={label.value}
          onInput={(event: Event) => (label.value = (event.target as HTMLInputElement).value)}
        />
      </label>
      <ul class='offers'>
        {offers.map(([role, about]) => (
          <li key={role}>
            <button type='button' class='offer' aria-disabled={disabled || busy.value} onClick={() => void invite(role)}>
              <strong>{t(roleWords[role])}</strong>
              <span class='muted'>{t(about)}</span>
              <Icon name='chevron-right' size={18} />
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
