/** A browser without scripts. It follows redirects, keeps cookies and fills in forms. */
import { expect } from 'vitest'

export interface Shown {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

export interface Visitor {
  readonly cookies: Map<string, Cookie>
  /** The page that is open. */
  readonly page: Shown
  /** Opens an address and follows redirects, except those to `stopAt`. */
  visit(url: string): Promise<Shown>
  /** Submits the form whose action ends with `action`. The given fields replace the values of the form. */
  submit(action: string, fields?: Readonly<Record<string, string>>): Promise<Shown>
  /** Sends one request with the cookies, without following redirects. */
  request(url: string, init?: RequestInit): Promise<Response>
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

export interface VisitorOptions {
  /** The visitor does not follow redirects to addresses with this prefix. */
  readonly stopAt?: string
  readonly userAgent?: string
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export const newVisitor = ({
  stopAt,
  userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  headers: always = {}
}: VisitorOptions = {}): Visitor => {
  const jar = new Map<string, Cookie>()
  let page: Shown = { url: '', status: 0, headers: new Headers(), text: '' }

  const keep = (headers: Headers, url: URL): void => {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...rest] = line.split(';').map((part) => part.trim())
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals)
      const value = pair.slice(equals + 1)
      const path = rest.find((part) => /^path=/i.test(part))?.slice(5) ?? '/'
      const over = rest.some((part) => /^max-age=0$/i.test(part) || /^expires=thu, 01 jan 1970/i.test(part))
      const key = `${url.hostname} ${path} ${name}`
      if (over || value === '') jar.delete(key)
      else jar.set(key, { name, value, path })
    }
  }

  const headerFor = (url: URL): string =>
    [...jar]
      .filter(([key, { path }]) => key.startsWith(`${url.hostname} `) && url.pathname.startsWith(path))
      .map(([, { name, value }]) => `${name}=${value}`)
      .join('; ')

  const request = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const target = new URL(url)
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(always)) headers.set(name, value)
    const cookie = headerFor(target)
    if (cookie !== '') headers.set('Cookie', cookie)
    headers.set('User-Agent', userAgent)
    if (!headers.has('Accept')) headers.set('Accept', 'text/html')
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    keep(response.headers, target)
    return response
  }

  const follow = async (url: string, init?: RequestInit): Promise<Shown> => {
    let at = url
    let response = await request(at, init)
    for (let hops = 0; hops < 20; hops++) {
      const location = response.headers.get('Location')
      if (response.status < 300 || response.status >= 400 || location === null) break
      await response.arrayBuffer()
      at = new URL(location, at).href
      if (stopAt !== undefined && at.startsWith(stopAt))
        return (page = { url: at, status: response.status, headers: response.headers, text: '' })
      response = await request(at)
    }
    return (page = { url: at, status: response.status, headers: response.headers, text: await response.text() })
  }

  return {
    cookies: jar,
    get page() {
      return page
    },
    visit: (url) => follow(url),
    request,
    submit(action, fields = {}) {
      const forms = [...page.text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form)
      const form = forms.find((each) => (attribute(each, 'action') ?? '').endsWith(action))
      expect(form, `a form that goes to ${action} on ${page.url}: ${page.text.slice(0, 3000)}`).toBeDefined()
      const inputs = [...(form ?? '').matchAll(/<input[^>]*>/g)].map(([tag]) => [
        attribute(tag, 'name') ?? '',
        attribute(tag, 'value') ?? ''
      ])
      const all = new URLSearchParams({ ...Object.fromEntries(inputs.filter(([name]) => name !== '')), ...fields })
      const target = new URL(attribute(form ?? '', 'action') ?? '', page.url)
      if (attribute(form ?? '', 'method') === 'get') return follow(`${target.href}?${all}`)
      return follow(target.href, {
        method: 'POST',
        body: all.toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: new URL(page.url).origin }
      })
    }
  }
}

export const password = 'correct horse battery'

/** Signs a person up at the embedded broker, which also signs the browser in to the service. */
export const signUp = async (base: string, email: string, visitor = newVisitor(), returnTo = '/account'): Promise<Visitor> => {
  await visitor.visit(`${base}/sign-up?return_to=${encodeURIComponent(returnTo)}`)
  await visitor.submit('/sign-up', { email, password, name: email.split('@')[0] ?? '' })
  return visitor
}

/** Signs in with the password that all tests use. */
export const signIn = async (base: string, email: string, visitor = newVisitor()): Promise<Visitor> => {
  await visitor.visit(`${base}/sign-in`)
  await visitor.submit('/sign-in', { email, password })
  return visitor
}

/** Calls the API at `base` with the cookies of a visitor. */
export const callAs = (base: string, visitor: Visitor, method: string, path: string, json: unknown = {}): Promise<Response> =>
  visitor.request(`${base}${path}`, {
    method,
    ...(method === 'GET' ? {} : { body: JSON.stringify(json) }),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', Origin: base }
  })

/** A visitor with an account. */
export interface Joined {
  readonly visitor: Visitor
  readonly email: string
  readonly id: string
}

/** Signs up a visitor with an email address at `base`. */
export const join = async (base: string, email: string): Promise<Joined> => {
  const visitor = await signUp(base, email)
  const { user } = (await (await callAs(base, visitor, 'GET', '/api/me')).json()) as { user: { id: string } }
  return { visitor, email, id: user.id }
}
