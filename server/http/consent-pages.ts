/**
 * Consent pages of the embedded broker. On these pages, a person decides whether a program may learn their identity or work on their documents.
 * Because the program chooses its own name, the page also shows a verified fact: the redirect address. The pages are forms that work without
 * scripts.
 */
import type { Provider } from 'oidc-provider'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { includesRole, type Role, roles } from '../../shared/roles.ts'
import { type Sentence, term } from '../../shared/words.ts'
import { clientHost } from '../auth/broker-clients.ts'
import { interactionPath } from '../auth/broker-paths.ts'
import { documentScopes, roleOfScopes } from '../auth/broker-scopes.ts'
import { findAccount } from '../domain/accounts/accounts.ts'
import { letIn } from '../domain/accounts/programs.ts'
import { hashSecret } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'
import { filled, html, type Markup, named, type Page } from './html.ts'
import { roleOptions } from './program-pages.ts'
import type { Words } from './words.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

const scopeWords: Readonly<Record<string, Sentence>> = {
  openid: { sentence: term('See which account is yours') },
  email: { sentence: term('See your email address') },
  profile: { sentence: term('See your name') },
  offline_access: {
    sentence: term('Stay signed in for {count} days, or until you sign out everywhere'),
    values: { count: limits.brokerRefreshDays }
  }
}

const scopesMissing = ({ prompt }: Details): string[] => (prompt.details as { missingOIDCScope?: string[] }).missingOIDCScope ?? []

const scopesAsked = ({ params: { scope } }: Details): string[] => (typeof scope === 'string' ? scope.split(' ') : [])

/** Returns the resources of this service that a program requests. If there are none, the program only wants to identify the person. */
const resourcesAsked = ({ params: { resource } }: Details): string[] => (resource === undefined ? [] : ([resource].flat() as string[]))

/** Returns the highest role that the person can allow: the requested role, or a default that suits most programs. */
const roleAsked = (details: Details): Role => roleOfScopes(scopesAsked(details)) ?? 'edit'

/** Returns the host of the redirect address, or the address itself if it has no host; null if there is no address. */
const hostOf = ({ params: { redirect_uri: redirect } }: Details): string | null =>
  typeof redirect === 'string' && URL.canParse(redirect) ? new URL(redirect).host || redirect : null

const nameOf = async ({ params }: Details, provider: Provider): Promise<string | undefined> => {
  const client = await provider.Client.find(String(params['client_id']))
  return client?.clientName ?? client?.clientId
}

const signInConsent = (words: Words, details: Details, program: Markup): Markup => {
  const { t, say } = words
  const asked = scopesMissing(details).flatMap((scope) => scopeWords[scope] ?? [])
  return html`<p>${filled(t('{program} wants to sign you in at {address}. It will be able to:'), {
    program,
    address: html`<strong>${named(hostOf(details) ?? t('a device'))}</strong>`
  })}</p>
${whoAnswers(words, details)}
<ul class="list">${asked.map((sentence) => html`<li>${say(sentence)}</li>`)}</ul>
<p class="muted">${t('The name is not verified. The program gets no access to your documents.')}</p>
<form class="form" method="post" action="${interactionPath}/${details.uid}/agree"><p class="actions"><button class="button primary large">${t('Allow')}</button></p></form>`
}

const documentsConsent = async (words: Words, service: Service, details: Details, program: Markup): Promise<Markup> => {
  const { t, say } = words
  const account = await findAccount(service, details.session?.accountId ?? '')
  const most = roleAsked(details)
  const also = scopesAsked(details).flatMap((scope) => (scope === 'offline_access' ? [] : (scopeWords[scope] ?? [])))
  return html`<p>${filled(t('{program} wants to work on all documents in your account {account}.'), {
    program,
    account: html`<strong>${named(account?.email ?? account?.name ?? '')}</strong>`
  })}</p>
${whoAnswers(words, details)}
<p>${filled(t('You will be sent to {address}.'), { address: html`<strong>${named(hostOf(details) ?? t('a device'))}</strong>` })}</p>
${also.length === 0 ? undefined : html`<p>${t('It will also be able to:')}</p><ul class="list">${also.map((sentence) => html`<li>${say(sentence)}</li>`)}</ul>`}
<form class="form" method="post" action="${interactionPath}/${details.uid}/agree">
<div class="field"><label for="role">${t('Role')}</label><select id="role" name="role">${roleOptions(words, most, most)}</select></div>
<p class="muted">${t('Edits by the program show its name and yours. You can end its access on your account page at any time. The access ends automatically after {count} days.', { count: limits.brokerRefreshDays })}</p>
<p class="notice warn">${t('The name is not verified. Allow this only if you just started it yourself.')}</p>
<p class="actions"><button class="button primary large">${t('Allow')}</button></p>
</form>`
}

/** Shows the host of a program's metadata document. A program's name proves nothing, but its host is verified. */
const whoAnswers = ({ t }: Words, { params }: Details): Markup | undefined => {
  const host = clientHost(String(params['client_id']))
  return host === undefined
    ? undefined
    : html`<p>${filled(t('The program is described at {address}.'), { address: html`<strong>${named(host)}</strong>` })}</p>`
}

/** Shows the consent page. */
export const consentPage = async (
  words: Words,
  service: Service,
  provider: Provider,
  details: Details
): Promise<Pick<Page, 'title' | 'body'>> => {
  const { t } = words
  const program = html`<strong>${named((await nameOf(details, provider)) ?? t('A program'))}</strong>`
  return resourcesAsked(details).length === 0
    ? { title: t('Allow this sign-in?'), body: signInConsent(words, details, program) }
    : { title: t('Allow access to your documents?'), body: await documentsConsent(words, service, details, program) }
}

type Grant = InstanceType<Provider['Grant']>

/** Checks the chosen role. Throws `form_expired` if the role is above the requested one. */
const roleChosen = (details: Details, chosen: string | undefined): Role => {
  const role = roles.find((each) => each === chosen)
  if (role === undefined || !includesRole(roleAsked(details), role)) throw new ServiceError('form_expired')
  return role
}

/** Grants the scopes up to a role, and refuses the scopes above it. This tells the program which rights it has. */
const grantDocuments = (grant: Grant, details: Details, role: Role): void => {
  const asked = scopesAsked(details).filter((scope) => documentScopes.includes(scope))
  for (const scope of asked) {
    const granted = includesRole(role, roleOfScopes([scope]) ?? 'owner')
    for (const resource of resourcesAsked(details))
      if (granted) grant.addResourceScope(resource, scope)
      else grant.rejectResourceScope(resource, scope)
    if (granted) grant.addOIDCScope(scope)
    else grant.rejectOIDCScope(scope)
  }
}

/** Stores a person's consent. Returns the id of the grant. Throws `form_expired`. */
export const agreeTo = async (
  service: Service,
  provider: Provider,
  details: Details,
  fields: Readonly<Record<string, string>>
): Promise<string> => {
  const account = details.session?.accountId ?? ''
  const opensDocuments = resourcesAsked(details).length > 0
  const role = opensDocuments ? roleChosen(details, fields['role']) : null
  // Each consent to document access is a separate grant. A program on two computers has two grants, and the person can end each one separately.
  const known = details.grantId === undefined || opensDocuments ? undefined : await provider.Grant.find(details.grantId)
  const grant = known ?? new provider.Grant({ accountId: account, clientId: String(details.params['client_id']) })
  const identity = (opensDocuments ? scopesAsked(details) : scopesMissing(details)).filter((scope) => !documentScopes.includes(scope))
  grant.addOIDCScope(identity.join(' '))
  const { missingOIDCClaims } = details.prompt.details as { missingOIDCClaims?: string[] }
  if (missingOIDCClaims !== undefined) grant.addOIDCClaims(missingOIDCClaims)
  if (role !== null) grantDocuments(grant, details, role)
  const id = await grant.save()
  const name = (await nameOf(details, provider)) ?? 'A program'
  if (role !== null)
    await letIn(service, {
      account,
      name,
      host: clientHost(String(details.params['client_id'])) ?? hostOf(details),
      role,
      docs: null,
      grant: hashSecret(id)
    })
  return id
}
