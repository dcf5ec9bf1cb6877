/** Accounts at the embedded broker, through its pages, as a browser without scripts uses them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAccountByEmail } from '../../server/domain/accounts/accounts.ts'
import { createLink } from '../../server/domain/accounts/links.ts'
import { rateLimits } from '../../shared/limits.ts'
import { freePort } from '../support/free-port.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { newVisitor, password, signIn, signUp, type Visitor } from '../support/visitor.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const me = async (visitor: Visitor, base = world.url): Promise<{ status: number; user?: { name: string; email: string } }> => {
  const response = await visitor.request(`${base}/api/me`)
  return { status: response.status, ...((await response.json()) as object) }
}

/** Returns the text of a page, without the parts that differ between interactions. */
const said = ({ page }: Visitor): string =>
  page.text.replaceAll(/interaction\/[\w-]+/g, 'interaction').replaceAll(/(value|data-options)="[^"]*"/g, '')

test('[ACCOUNT-1] a person signs up with address and password, is signed in at once, and signs in again later', async () => {
  const visitor = await signUp(world.url, 'Cleo@Example.org')
  expect(visitor.page.url).toBe(`${world.url}/account`)
  expect(await me(visitor)).toMatchObject({ status: 200, user: { name: 'Cleo', email: 'cleo@example.org' } })
  const later = await signIn(world.url, ' cleo@example.ORG ')
  expect(await me(later)).toMatchObject({ status: 200, user: { email: 'cleo@example.org' } })
})

test('[ACCOUNT-13] the embedded broker also works on a plain network, at an address other than localhost', async () => {
  const port = await freePort()
  // This is also a loopback address, but the exception for localhost does not apply to it.
  const base = `http://127.0.0.2:${port}`
  const lan = await startWorld({ env: { AGMD_HOST: '127.0.0.2', AGMD_PORT: String(port), AGMD_BASE_URL: base } })
  const visitor = await signUp(base, 'lan@example.org')
  expect(await me(visitor, base)).toMatchObject({ status: 200, user: { email: 'lan@example.org' } })
  await lan.stop()
})

test('[ACCOUNT-2] a wrong password and an address without an account get the same answer', async () => {
  await signUp(world.url, 'dora@example.org')
  const answers = []
  for (const email of ['dora@example.org', 'nobody@example.org', 'no address']) {
    const visitor = newVisitor()
    await visitor.visit(`${world.url}/sign-in`)
    const page = await visitor.submit('/sign-in', { email, password: 'wrong wrong wrong' })
    expect((await me(visitor)).status).toBe(401)
    answers.push({ status: page.status, text: said(visitor) })
  }
  expect(answers[0]).toMatchObject({ status: 422, text: expect.stringContaining('Wrong email or password.') })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

test.each([
  [{ email: 'no address', password }, 'Enter a valid email address.'],
  [{ email: 'a@b@c', password }, 'Enter a valid email address.'],
  [{ email: `${'a'.repeat(250)}@example.org`, password }, 'Enter a valid email address.'],
  [{ email: 'eve@example.org', password: 'short' }, 'Use at least 10 characters.'],
  [{ email: 'eve@example.org', password: 'a'.repeat(257) }, 'Use at most 256 characters.'],
  [{ email: 'Eve@example.org', password: 'eve@Example.org' }, 'Choose a password that is not your email address.'],
  [{ email: 'evelyn.moore@example.org', password: 'evelyn.moore' }, 'Choose a password that is not your email address.'],
  [{ email: 'eve@example.org', password: 'Password123' }, 'This password is easy to guess.']
])('[ACCOUNT-3] the page shows why a sign-up was refused: %j', async (fields, text) => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-up`)
  const page = await visitor.submit('/sign-up', fields)
  expect(page.status).toBe(422)
  expect(page.text).toContain(text)
  expect(page.text.replace(`value="${fields.email}"`, '')).not.toContain(fields.password)
})

test('[ACCOUNT-3] an address has one account, however many sign-ups arrive at once', async () => {
  const visitors = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const visitor = newVisitor()
      await visitor.visit(`${world.url}/sign-up`)
      return visitor
    })
  )
  const pages = await Promise.all(visitors.map((visitor) => visitor.submit('/sign-up', { email: 'finn@example.org', password })))
  expect(pages.filter(({ url }) => url === `${world.url}/`)).toHaveLength(1)
  expect(pages.filter(({ status }) => status === 422)).toHaveLength(3)
})

test.each([
  ['sign-in', { email: 'ivy@example.org', password: 'not this one' }, 'password'],
  ['sign-up', { email: 'ivy@', password }, 'email']
] as const)(
  '[ACCOUNT-15] the page of %s opens with the focus in its first field, and later in the one with an error',
  async (screen, fields, faulty) => {
    const focused = (page: string): string[] => [...page.matchAll(/<input[^>]* id="([^"]*)"[^>]* autofocus/g)].map(([, id = '']) => id)
    const visitor = newVisitor()
    expect(focused((await visitor.visit(`${world.url}/${screen}`)).text)).toEqual(['email'])
    expect(focused((await visitor.submit(`/${screen}`, fields)).text)).toEqual([faulty])
  }
)

test('[ACCOUNT-16] an account without a name shows no part of its email address, and the form says so', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-up`)
  expect(visitor.page.text).toContain('Without a name, they see “Someone”.')
  await visitor.submit('/sign-up', { email: 'walker3@example.org', password, name: ' ' })
  expect((await me(visitor)).user?.name).toBe('Someone')
  const german = newVisitor({ headers: { 'accept-language': 'de' } })
  await german.visit(`${world.url}/sign-up`)
  expect(german.page.text).toContain('Ohne Namen sehen sie „Jemand“.')
  await german.submit('/sign-up', { email: 'walker4@example.org', password, name: '' })
  expect((await me(german)).user?.name).toBe('Jemand')
})

test('[ACCOUNT-18] without a name, the name field of the account page is empty', async () => {
  const visitor = newVisitor()
  const fieldOf = async (): Promise<string | undefined> =>
    /<input id="name"[^>]*>/.exec((await visitor.visit(`${world.url}/account`)).text)?.[0]
  await visitor.visit(`${world.url}/sign-up`)
  await visitor.submit('/sign-up', { email: 'walker5@example.org', password, name: '' })
  expect(await fieldOf()).toMatch(/ value="" placeholder="Someone"/)
  await visitor.submit('/account/name', { name: 'Someone' })
  expect(await fieldOf()).toMatch(/ value="Someone"(?! placeholder)/)
})

test('[ACCOUNT-4] names of people and programs are text, never markup', async () => {
  const name = '<img src=x onerror=alert(1)>'
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-up`)
  await visitor.submit('/sign-up', { email: 'gil@example.org', password, name })
  for (const path of ['/sign-out', '/account']) expect((await visitor.visit(`${world.url}${path}`)).text).not.toContain('<img src=x')
  expect((await visitor.visit(`${world.url}/sign-out`)).text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect((await me(visitor)).user?.name).toBe(name)
})

test('[ACCOUNT-5] a form is valid only in the browser, and for the sign-in, that it was made for', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in`)
  const action = /action="([^"]+\/sign-in)"/.exec(visitor.page.text)?.[1] ?? ''
  const send = (who: Visitor, to: string, headers: Record<string, string> = {}): Promise<Response> =>
    who.request(`${world.url}${to}`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'dora@example.org', password }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }
    })
  expect((await send(newVisitor(), action)).status).toBe(403)
  expect((await send(visitor, action.replace(/interaction\/[\w-]+/, 'interaction/another'))).status).toBe(403)
  expect((await send(visitor, action, { Origin: 'https://evil.example' })).status).toBe(403)
  expect((await send(visitor, action, { 'Content-Type': 'application/json' })).status).toBe(415)
})

test('[ACCOUNT-6] sign-in pages run no foreign script, are never framed or cached, and list the targets of their forms', async () => {
  const visitor = newVisitor()
  const page = await visitor.visit(`${world.url}/sign-in`)
  expect(page.headers.get('Content-Security-Policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'.*form-action 'self'/)
  expect(page.headers.get('Cache-Control')).toContain('no-store')
  expect(page.text).toContain('<html lang="en">')
  expect(page.text).not.toMatch(/<script(?!( type="module")? src="\/\w)/)
})

test('[ACCOUNT-7] passwords are stored as argon2id hashes and appear in no file or log', async () => {
  const folder = await world.service.storage.list(['account'])
  const records = folder.map(({ value }) => Buffer.from(value).toString()).join('\n')
  expect(records).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
  expect(records).not.toContain(password)
  expect(world.lines.join('\n')).not.toContain(password)
})

describe('limits', () => {
  let limited: World
  let clock: TestClock
  beforeAll(async () => {
    clock = testClock(Date.now())
    limited = await startWorld({ clock, env: { AGMD_RATE_LIMITS: 'on', AGMD_TRUST_PROXY: '1' } })
    await signUp(limited.url, 'ana@example.org')
  })
  afterAll(() => limited.stop())

  /** Tries to sign in from a given address. */
  const guess = async (address: string, email: string, given: string): Promise<{ status: number; text: string; visitor: Visitor }> => {
    const visitor = newVisitor({ headers: { 'X-Forwarded-For': address } })
    await visitor.visit(`${limited.url}/sign-in`)
    const { status, text } = await visitor.submit('/sign-in', { email, password: given })
    return { status, text, visitor }
  }

  test('[ACCOUNT-8] passwords cannot be guessed in bulk, even from many addresses, and the refusal does not reveal accounts', async () => {
    for (const email of ['ana@example.org', 'nobody@example.org']) {
      const statuses = []
      for (let tries = 0; tries < rateLimits.password.burst + 2; tries++)
        statuses.push((await guess(`10.${email.length}.0.${tries}`, email, 'wrong wrong wrong')).status)
      expect(statuses, email).toEqual([...Array.from({ length: rateLimits.password.burst }, () => 422), 429, 429])
    }
    // While the limit lasts, even the correct password is refused. After that, it is accepted.
    expect((await guess('10.1.1.1', 'ana@example.org', password)).status).toBe(429)
    clock.advance(900 * 1000)
    expect((await guess('10.1.1.1', 'ana@example.org', password)).visitor.page.url).toBe(`${limited.url}/`)
  })

  test('[ACCOUNT-8] the page of a refusal names its limit, and a new password lifts it', async () => {
    const email = 'ben@example.org'
    await signUp(limited.url, email, newVisitor({ headers: { 'X-Forwarded-For': '10.6.6.1' } }))
    for (let tries = 0; tries < rateLimits.password.burst; tries++) await guess(`10.6.0.${tries}`, email, 'wrong wrong wrong')
    const refused = await guess('10.6.6.6', email, password)
    expect(refused.status).toBe(429)
    expect(refused.visitor.page.headers.get('RateLimit')).toMatch(/^"password";r=0;t=\d+$/)
    const account = await findAccountByEmail(limited.service, email)
    if (account === undefined) throw new Error('no such account')
    const visitor = newVisitor({ headers: { 'X-Forwarded-For': '10.6.6.7' } })
    await visitor.visit(createLink(limited.service.vault, limited.url, clock.now(), { kind: 'reset', account }))
    await visitor.submit('/auth/reset', { password: 'another horse battery' })
    expect((await guess('10.6.6.8', email, 'another horse battery')).visitor.page.url).toBe(`${limited.url}/`)
  })

  test('[ACCOUNT-8] one address cannot guess at many accounts', async () => {
    const statuses = []
    for (let tries = 0; tries < rateLimits.signIn.burst + 1; tries++)
      statuses.push((await guess('10.9.9.9', `someone${tries}@example.org`, 'wrong wrong wrong')).status)
    expect(statuses.at(-2)).toBe(422)
    expect(statuses.at(-1)).toBe(429)
  })

  test('[ACCOUNT-8] accounts cannot be created in bulk, nor discovered by creating them', async () => {
    const statuses = []
    for (let tries = 0; tries <= rateLimits.signUp.burst; tries++) {
      const visitor = newVisitor({ headers: { 'X-Forwarded-For': '10.7.7.7' } })
      await visitor.visit(`${limited.url}/sign-up`)
      statuses.push((await visitor.submit('/sign-up', { email: 'ana@example.org', password })).status)
    }
    expect(statuses.at(-2)).toBe(422)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('by invitation', () => {
  let invited: World
  let clock: TestClock
  beforeAll(async () => {
    clock = testClock(Date.now())
    invited = await startWorld({ clock, env: { AGMD_SIGN_UP: 'invite' } })
  })
  afterAll(() => invited.stop())

  const link = async (kind: 'invite' | 'reset', email: string, { vault } = invited.service): Promise<string> => {
    const account = kind === 'invite' ? undefined : await findAccountByEmail(invited.service, email)
    return createLink(vault, invited.url, clock.now(), account === undefined ? { kind: 'invite', email } : { kind: 'reset', account })
  }

  /** Lets three people set a password with one link at the same time. Returns how many of them succeed. */
  const usesAtOnce = async (kind: 'invite' | 'reset', address: string): Promise<number> => {
    const visitors = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const visitor = newVisitor()
        await visitor.visit(address)
        return visitor
      })
    )
    const pages = await Promise.all(visitors.map((visitor) => visitor.submit(`/auth/${kind}`, { password })))
    return pages.filter(({ status }) => status === 200).length
  }

  test('[ACCOUNT-9] nobody signs up without an invitation', async () => {
    const visitor = newVisitor()
    await visitor.visit(`${invited.url}/sign-up`)
    expect(visitor.page.text).toContain('You need an invitation')
    const action = /action="([^"]+)\/sign-in"/.exec(visitor.page.text)?.[1] ?? ''
    const response = await visitor.request(`${invited.url}${action}/sign-up`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'hans@example.org', password }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: invited.url }
    })
    expect(response.status).toBe(403)
    expect((await signIn(invited.url, 'hans@example.org')).page.status).toBe(422)
  })

  test('[ACCOUNT-10] an invitation creates the account of its address, once', async () => {
    const address = await link('invite', 'ida@example.org')
    const visitor = newVisitor()
    await visitor.visit(address)
    expect((await visitor.submit('/auth/invite', { password: 'short' })).status).toBe(422)
    expect((await visitor.submit('/auth/invite', { password: 'ida@example.org' })).status).toBe(422)
    await visitor.submit('/auth/invite', { password, name: 'Ida' })
    expect(await me(visitor, invited.url)).toMatchObject({ status: 200, user: { name: 'Ida', email: 'ida@example.org' } })
    expect((await newVisitor().visit(address)).status).toBe(403)
  })

  test('[ACCOUNT-10] if several people use an invitation at once, one succeeds', async () => {
    expect(await usesAtOnce('invite', await link('invite', 'jon@example.org'))).toBe(1)
  })

  test('[ACCOUNT-11] a reset link sets a new password once and ends every session', async () => {
    const former = newVisitor()
    await former.visit(await link('invite', 'kim@example.org'))
    await former.submit('/auth/invite', { password })
    const address = await link('reset', 'kim@example.org')
    const visitor = newVisitor()
    await visitor.visit(address)
    await visitor.submit('/auth/reset', { password: 'another horse battery' })
    expect((await me(visitor, invited.url)).status).toBe(200)
    expect((await me(former, invited.url)).status).toBe(401)
    // The broker's own session has ended too, so it asks for the password again.
    expect((await former.visit(`${invited.url}/sign-in`)).text).toContain('name="password"')
    expect((await former.submit('/sign-in', { email: 'kim@example.org', password })).status).toBe(422)
    expect((await newVisitor().visit(address)).status).toBe(403)
  })

  test('[ACCOUNT-11] if several people use a reset link at once, one succeeds', async () => {
    expect(await usesAtOnce('reset', await link('reset', 'kim@example.org'))).toBe(1)
  })

  test('[ACCOUNT-11] a new password ends every other reset link, made before or after', async () => {
    const reset = async (address: string): Promise<number> => {
      const visitor = newVisitor()
      await visitor.visit(address)
      return visitor.page.status === 200 ? (await visitor.submit('/auth/reset', { password })).status : visitor.page.status
    }
    const [older, newer, newest] = [
      await link('reset', 'kim@example.org'),
      await link('reset', 'kim@example.org'),
      await link('reset', 'kim@example.org')
    ]
    expect(await reset(newer)).toBe(200)
    expect(await reset(older)).toBe(403)
    expect(await reset(newest)).toBe(403)
    const pair = [await link('reset', 'kim@example.org'), await link('reset', 'kim@example.org')]
    const visitors = await Promise.all(
      pair.map(async (address) => {
        const visitor = newVisitor()
        await visitor.visit(address)
        return visitor
      })
    )
    const pages = await Promise.all(visitors.map((visitor) => visitor.submit('/auth/reset', { password })))
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200, 403]))
  })

  test('[ACCOUNT-12] a link that is expired, of the other kind, altered or of another instance is refused', async () => {
    const late = await link('reset', 'kim@example.org')
    const other = (await link('invite', 'lea@example.org')).replace('/auth/invite', '/auth/reset')
    clock.advance(25 * 3600 * 1000)
    const changed = (await link('reset', 'kim@example.org')).slice(0, -2)
    const foreign = await link('reset', 'kim@example.org', world.service)
    for (const address of [late, other, changed, foreign, `${invited.url}/auth/reset`])
      expect((await newVisitor().visit(address)).status, address).toBe(403)
  })
})

test('[ACCOUNT-9] a closed server creates no accounts', async () => {
  const closed = await startWorld({ env: { AGMD_SIGN_UP: 'closed' } })
  const visitor = newVisitor()
  await visitor.visit(`${closed.url}/sign-up`)
  expect(visitor.page.text).not.toContain('new-password')
  expect(visitor.page.text).toContain('This server does not accept new accounts.')
  expect(visitor.page.text).not.toContain('invitation')
  const address = createLink(closed.service.vault, closed.url, Date.now(), { kind: 'invite', email: 'hans@example.org' })
  const page = await visitor.visit(address)
  expect(page.status).toBe(403)
  expect(page.text).toContain('This server does not accept new accounts.')
  const sent = await visitor.request(`${closed.url}/auth/invite`, {
    method: 'POST',
    body: new URLSearchParams({ token: new URL(address).searchParams.get('token') ?? '', password }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: closed.url }
  })
  expect(sent.status).toBe(403)
  expect(await findAccountByEmail(closed.service, 'hans@example.org')).toBeUndefined()
  await closed.stop()
})
