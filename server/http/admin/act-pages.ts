/** Administrators' acts on the pages: their forms, their results, and the confirmation of acts that one click cannot undo. */
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import type { ActName } from '../../domain/operator/acts.ts'
import type { PersonLink } from '../../domain/operator/people.ts'
import { html, type Markup, named } from '../html.ts'
import type { Words } from '../words.ts'
import { type AdminPath, hidden } from './page.ts'

type Fields = Readonly<Record<string, string>>

interface PageAct {
  /** The question and the button of the confirmation. Absent if the act can be undone by one click. */
  readonly confirm?: { readonly question: string; readonly about: string; readonly button: string }
  /** The form fields that are the act's input. */
  readonly fields: readonly string[]
  /** Maps the name of a form field to the name of the input, if they differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Returns the address of the page that follows. */
  readonly next: (fields: Fields) => string
  /** The sentence that the following page shows. */
  readonly done: string
}

const to =
  (path: AdminPath): PageAct['next'] =>
  () =>
    path
const person: PageAct['next'] = ({ account = '' }) => `/admin/person?id=${encodeURIComponent(account)}`
const document: PageAct['next'] = ({ doc = '' }) => `/admin/document?id=${encodeURIComponent(doc)}`

/** The acts that the page offers. */
export const pageActs = {
  invite: { fields: ['email'], next: to('/admin/people'), done: term('Invitation created.') },
  reset: { fields: ['account'], next: person, done: term('Reset link created.') },
  endSessions: {
    confirm: {
      question: term('End all access to this account?'),
      about: term('All sessions end, and all tokens and compute nodes are revoked. The person can sign in again.'),
      button: term('End all access')
    },
    fields: ['account'],
    next: person,
    done: term('All access has ended.')
  },
  disable: {
    confirm: {
      question: term('Disable this account?'),
      about: term(
        'All access ends immediately, and the person cannot sign in. Links still open the documents. You can enable the account again.'
      ),
      button: term('Disable account')
    },
    fields: ['account'],
    next: person,
    done: term('Account disabled.')
  },
  enable: { fields: ['account'], next: person, done: term('Account enabled.') },
  deletePerson: {
    confirm: {
      question: term('Delete this account?'),
      about: term('This cannot be undone. All access ends immediately.'),
      button: term('Delete account')
    },
    fields: ['account', 'documents', 'to'],
    next: to('/admin/people'),
    done: term('Account deleted.')
  },
  transfer: {
    confirm: {
      question: term('Transfer this document?'),
      about: term('The former owner loses access, except through links. Links stay valid.'),
      button: term('Transfer')
    },
    fields: ['doc', 'to'],
    next: document,
    done: term('Document transferred.')
  },
  takeDown: {
    confirm: {
      question: term('Take this document down?'),
      about: term('Open pages are disconnected immediately. Nobody can open the document until you restore it.'),
      button: term('Take down')
    },
    fields: ['doc'],
    next: document,
    done: term('Document taken down.')
  },
  restore: { fields: ['doc'], next: document, done: term('Document restored.') },
  revokeLink: {
    confirm: {
      question: term('Revoke this link?'),
      about: term('This cannot be undone. The link and the links made through it stop working, and their open pages are disconnected.'),
      button: term('Revoke')
    },
    fields: ['doc', 'link'],
    next: ({ doc = '' }) => `/admin/links?doc=${encodeURIComponent(doc)}`,
    done: term('Link revoked.')
  },
  revokeToken: {
    confirm: {
      question: term('Revoke this access?'),
      about: term('This cannot be undone. The program needs a new token.'),
      button: term('Revoke')
    },
    fields: ['token_id'],
    names: { token_id: 'token' },
    next: to('/admin/access'),
    done: term('Access revoked.')
  },
  revokeNode: {
    confirm: {
      question: term('Revoke this compute node?'),
      about: term('This cannot be undone. The node needs a new token.'),
      button: term('Revoke')
    },
    fields: ['node'],
    next: to('/admin/access'),
    done: term('Compute node revoked.')
  }
} as const satisfies Partial<Record<ActName, PageAct>>

export type PageActName = keyof typeof pageActs

export const pageActOf = (name: string | undefined): PageActName | undefined =>
  name !== undefined && Object.hasOwn(pageActs, name) ? (name as PageActName) : undefined

/** Returns the act's input: the form fields that belong to it and are not empty. */
export const inputOf = (name: PageActName, fields: Fields): Record<string, string> => {
  const { fields: known, names = {} }: PageAct = pageActs[name]
  return Object.fromEntries(
    known.flatMap((field) => (fields[field] === undefined || fields[field] === '' ? [] : [[names[field] ?? field, fields[field]]]))
  )
}

const choice = (value: string, checked: boolean, title: string, about: string): Markup =>
  html`<label class="choice"><input type="radio" name="documents" value="${value}"${checked ? html` checked` : undefined}><span>${title}<span class="muted">${about}</span></span></label>`

/** The choice for the documents of a deleted account. */
const documentsChoice = ({ t }: Words): Markup => html`
<fieldset class="choices"><legend>${t('What happens to the documents?')}</legend>
${choice('keep', true, t('Keep them'), t('Anyone with a link can still open them. Documents without a link or a published page go to the trash.'))}
${choice('trash', false, t('Move them to the trash'), t('Their links stop working immediately.'))}
</fieldset>
<div class="field"><label for="to">${t('Or give them to another account (email address)')}</label><input id="to" name="to" type="email" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off"></div>`

/** The page that asks for confirmation of an act. `subject` names the account or document. */
export const confirmPage = (
  words: Words,
  name: PageActName,
  fields: Fields,
  token: string,
  subject: string
): { readonly title: string; readonly body: Markup } | undefined => {
  const act: PageAct = pageActs[name]
  if (act.confirm === undefined) return undefined
  const { t } = words
  const { question, about, button } = act.confirm
  const isDeletion = name === 'deletePerson'
  const passed = Object.fromEntries(
    act.fields.flatMap((field) => (fields[field] === undefined || (isDeletion && field !== 'account') ? [] : [[field, fields[field]]]))
  )
  const body = html`<p><strong>${named(subject)}</strong></p><p>${t(about)}</p>
<form class="form" method="post" action="/admin/act">${hidden({ token, act: name, confirmed: 'yes', ...passed })}
${isDeletion ? documentsChoice(words) : undefined}
<p class="actions"><button class="button danger large">${t(button)}</button><a class="button large" href="${act.next(fields)}">${t('Cancel')}</a></p></form>`
  return { title: t(question), body }
}

/** The page that asks the person to sign in again before a dangerous act. */
export const signInAgain = ({ t }: Words, back: string): { readonly title: string; readonly body: Markup } => ({
  title: t('Sign in again'),
  body: html`<p>${t('This step needs a sign-in within the last {count} minutes. Sign in again, then repeat the step.', { count: limits.adminFreshMinutes })}</p>
<p class="actions"><a class="button primary large" href="/sign-in?fresh=yes&return_to=${encodeURIComponent(back)}">${t('Sign in again')}</a><a class="button large" href="${back}">${t('Cancel')}</a></p>`
})

/** The page with a link for a person. It is shown only once. */
export const linkPage = (
  { t }: Words,
  name: 'invite' | 'reset',
  { link, email }: PersonLink,
  back: string
): { readonly title: string; readonly body: Markup } => {
  const about =
    name === 'invite'
      ? t('Send this link to {email}. It creates an account, works once, and expires after {count} hours.', {
          email,
          count: limits.inviteHours
        })
      : t('Send this link to {email}. It sets a new password, works once, and expires after {count} hours.', {
          email,
          count: limits.resetHours
        })
  return {
    title: t(pageActs[name].done),
    body: html`<p>${about}</p><div class="notice"><p><code>${link}</code></p></div><p class="actions"><a class="button primary" href="${back}">${t('Back')}</a></p>`
  }
}
