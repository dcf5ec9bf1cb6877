/** Accounts in the browser: signing up, documents of the account, programs with access, and the account pages. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { password } from '../support/visitor.ts'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { recordLoad } from '../../server/domain/operator/load.ts'
import { isLong } from '../support/repeats.ts'
import { start, type World } from '../support/start.ts'
import { chip, complaints, createDocument, createLink, readMarkdown, saved, typeAtEnd, ownPage } from './browser.ts'
import { lookAtSizes, sizes } from './appearance.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Signs a person up in a separate browser context. */
const join = async (email: string, options = {}, then = '/account'): Promise<{ context: BrowserContext; page: Page; heard: string[] }> => {
  const { context, page, heard } = await ownPage(browser, options)
  // Signing up leads directly to the documents, without more questions.
  await page.goto(`${world.url}/sign-up${then === '/' ? '' : `?return_to=${encodeURIComponent(then)}`}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(world.url + then)
  return { context, page, heard }
}

const startDevice = async (name: string): Promise<{ device_code: string; user_code: string; verification_uri_complete: string }> => {
  const response = await fetch(`${world.url}/api/cli/device/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name })
  })
  return (await response.json()) as { device_code: string; user_code: string; verification_uri_complete: string }
}

test('[QUICK-3] documents of an account are found by words of their text, below those with the words in their title', async () => {
  const { context, page, heard } = await join('search@example.org', {}, '/')
  const make = (content: string): Promise<string> =>
    page.evaluate(async (text) => {
      const body = JSON.stringify({ content: text })
      const made = await fetch('/api/docs', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return ((await made.json()) as { id: string }).id
    }, content)
  await make('# Rhubarb cake\n')
  const other = await make('# Other\n')
  await make('# Shopping\n\nMore rhubarb.\n')
  await page.goto(`${world.url}/d/${other}`)
  await saved(page)
  // The page learns who is signed in only after the person has typed.
  const gate = Promise.withResolvers<void>()
  await page.route('**/api/session', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.keyboard.press('Control+o')
  await page.getByRole('combobox', { name: 'Open another document' }).fill('rhubarb')
  gate.resolve()
  await page.getByRole('option', { name: /^Shopping/ }).waitFor()
  expect(await page.locator('.palette-head, .palette-title').allTextContents()).toEqual([
    'Documents',
    'Rhubarb cake',
    'In the text',
    'Shopping'
  ])
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-59] [WEB-112] [LINK-8] [ACCT-23] [ACCT-30] [PUBLISH-44] a person signs up, writes a document, keeps one found by its link, and signs out everywhere', async () => {
  const { context, page, heard } = await join('ana@example.org', {}, '/')
  await page.getByRole('button', { name: 'Start writing' }).click()
  await saved(page)
  expect(new URL(page.url()).search).toBe('')
  await typeAtEnd(page, '# Mine')
  await saved(page)

  const found = await createDocument(world.url, '# Found')
  const publish = (json: object): Promise<Response> =>
    fetch(`${world.url}/api/docs/${found.id}/publish`, {
      method: 'POST',
      headers: { 'x-share-key': found.key, 'content-type': 'application/json' },
      body: JSON.stringify(json)
    })
  await publish({})
  await page.goto(found.url)
  await saved(page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Add to your account' }).click()
  await page.getByText('Added to your account.').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.locator('.menu').getByRole('link', { name: 'All documents' }).click()
  await page.getByRole('link', { name: 'Found' }).waitFor()
  await page.getByRole('link', { name: 'Mine' }).waitFor()
  // A document that is opened from this page keeps its link. The link grants the same access, and is needed once nobody is signed in.
  await page.getByRole('link', { name: 'Found' }).click()
  await saved(page)
  expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain(found.key)

  // A link limits even the owner. Without the link, the person is the owner again.
  const view = await createLink(world.url, found, 'view')
  await page.evaluate(() => localStorage.clear())
  await page.goto(view.url)
  await chip(page, 'readonly').waitFor()
  await page.evaluate(() => localStorage.clear())
  for (let times = 0; times < 2; times++) {
    await page.goto(world.url)
    await page.getByRole('link', { name: 'Found' }).click()
    await saved(page)
    await page.goto(`${world.url}/d/${found.id}`)
    await saved(page)
  }
  // The link from before the account is still the person's own, although this device no longer stores it.
  await page.getByRole('button', { name: 'Share' }).click()
  await page.locator('.share-row').nth(1).waitFor()
  expect(await page.locator('.share-row strong').allTextContents()).toEqual(['a view', 'Your own link'])
  expect(await page.getByRole('button', { name: 'Revoke: Your own link' }).count()).toBe(1)
  expect(await page.getByLabel('Role of Your own link').count()).toBe(0)
  // The page was published before the document was in the account.
  await page.getByRole('tab', { name: 'Publish' }).click()
  await page.getByText('The page names no author. To name Someone, publish it again.').waitFor()
  await page.getByRole('button', { name: 'Name Someone as the author' }).waitFor()
  await publish({ published: false })
  await page.keyboard.press('Escape')
  await page.goto(world.url)
  await page.getByRole('button', { name: 'More for “Found”' }).click()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByRole('dialog').getByText('1 other link is in use.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.goto(`${world.url}/account`)
  await page.getByLabel('Name', { exact: true }).fill('Someone')
  await page.getByRole('button', { name: 'Save name' }).click()
  const told = await page.locator('.notice', { hasText: 'Name saved.' }).boundingBox()
  const above = await page.locator('.account-line').boundingBox()
  expect((told?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(12)

  // In another browser without a link, the session alone opens the document until it ends.
  const other = await browser.newContext()
  const second = await other.newPage()
  await second.goto(`${world.url}/sign-in?return_to=${encodeURIComponent(`/d/${found.id}`)}`)
  await second.getByLabel('Email').fill('ana@example.org')
  await second.getByLabel('Password').fill(password)
  await second.getByRole('button', { name: 'Sign in', exact: true }).click()
  await saved(second)
  const linked = await context.newPage()
  await linked.goto(found.url)
  await saved(linked)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL(`${world.url}/`)
  // A document that was opened by a link stays open, and the person becomes a guest.
  await typeAtEnd(linked, ' still')
  await saved(linked)
  expect(await readMarkdown(world.url, found)).toContain('still')
  await second.locator('.chip[data-state=ended]').waitFor()
  const signIn = second.locator('.notice', { hasText: 'You are signed out. Sign in again' }).getByRole('link', { name: 'Sign in' })
  expect(await signIn.getAttribute('href')).toBe(`/sign-in?return_to=%2Fd%2F${found.id}`)
  await second.reload()
  await signIn.waitFor()
  for (const each of [page, second]) {
    await each.goto(`${world.url}/account`)
    await each.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  expect(heard).toEqual([])
  await other.close()
  await context.close()
})

test('[ACCT-25] after an account was deleted, the pages of the browser say so until the next sign-in', async () => {
  const { context, page, heard } = await join('leaver@example.org', {}, '/')
  await page.getByRole('button', { name: 'Start writing' }).click()
  await saved(page)
  await typeAtEnd(page, '# Mine')
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The link is ready.').waitFor()
  const leaving = await context.newPage()
  await leaving.goto(`${world.url}/account/delete-account`)
  await leaving.getByText('It also disconnects all programs and computers.').waitFor()
  await leaving.getByLabel('Current password').fill(password)
  await leaving.getByRole('button', { name: 'Delete account' }).click()
  await leaving.getByRole('heading', { name: 'Account deleted' }).waitFor()
  await page.locator('.notice.danger').waitFor()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  const notice = page.locator('.notice.danger', { hasText: 'Your account was deleted, and with it your access to this document.' })
  await notice.waitFor()
  expect(await notice.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
  await leaving.getByText('Go to your documents').click()
  const offer = leaving.getByRole('group', { name: 'Your account was deleted' })
  await offer.getByText('A copy of 1 document from it stays on this device.').waitFor()
  await lookAtSizes(leaving, 'home-account-deleted', { shown: offer })

  // Somebody signs in with another account. After the session has ended, the pages say that they are signed out.
  await leaving.goto(`${world.url}/sign-up`)
  await leaving.getByLabel('Email').fill('next@example.org')
  await leaving.getByLabel('Password').fill(password)
  await leaving.getByRole('button', { name: 'Create account' }).click()
  await leaving.getByRole('link', { name: 'Account' }).waitFor()
  await leaving.goto(`${world.url}/account`)
  await leaving.getByRole('button', { name: 'Sign out everywhere' }).click()
  await leaving.getByRole('group', { name: 'You are signed out' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[ACCT-24] a refused password keeps the input in the other field, which the server never sends back', async () => {
  const { context, page, heard } = await join('new-password@example.org')
  await page.getByRole('link', { name: 'Change password' }).click()
  const [current, next] = [page.getByLabel('Current password'), page.getByLabel('New password')]
  const change = async (secret: string, wanted: string): Promise<void> => {
    await current.fill(secret)
    await next.fill(wanted)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change('wrong wrong wrong', 'another horse battery')
  await page.getByText('Wrong password.').waitFor()
  expect([await current.inputValue(), await next.inputValue()]).toEqual(['', 'another horse battery'])
  expect(await current.evaluate((field) => field === document.activeElement && field.ariaInvalid)).toBe('true')
  // The new password can be refused too. Then the current one stays.
  await change(password, 'new-password@example.org')
  await page.locator('#password[aria-invalid=true]:focus').waitFor()
  expect(await current.inputValue()).toBe(password)
  await next.fill('another horse battery')
  await next.press('Enter')
  await page.getByText('Password changed.').waitFor()
  expect(heard.filter((words) => !words.includes('422'))).toEqual([])
  await context.close()
})

test('[WEB-60] a person connects a device by comparing the code, and disconnects it', async () => {
  const { context, page, heard } = await join('bea@example.org')
  const device = await startDevice('agmd on a laptop')
  const poll = (): Promise<Response> =>
    fetch(`${world.url}/api/cli/device/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device_code: device.device_code })
    })
  expect(((await (await poll()).json()) as { error: string }).error).toBe('authorization_pending')
  await page.goto(device.verification_uri_complete)
  expect(await page.locator('.code-shown').textContent()).toBe(device.user_code)
  await page.getByText('agmd on a laptop').waitFor()
  await page.getByRole('button', { name: 'The codes match. Approve' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  const { access_token: token } = (await (await poll()).json()) as { access_token: string }
  const me = (): Promise<Response> => fetch(`${world.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
  expect((await me()).status).toBe(200)
  await page.getByRole('link', { name: 'Manage your devices' }).click()
  await page.getByRole('button', { name: 'Sign out agmd on a laptop' }).click()
  await page.getByRole('button', { name: 'Sign out agmd on a laptop' }).waitFor({ state: 'detached' })
  expect((await me()).status).toBe(401)
  expect(heard).toEqual([])
  await context.close()
})

/** Returns the address at which a program that has registered itself asks for access to documents. */
const askingProgram = async (name: string): Promise<string> => {
  const redirect = 'http://127.0.0.1:9/callback'
  const response = await fetch(`${world.url}/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirect], token_endpoint_auth_method: 'none' })
  })
  const { client_id: id } = (await response.json()) as { client_id: string }
  const query = { client_id: id, redirect_uri: redirect, response_type: 'code', scope: 'docs:owner', resource: `${world.url}/mcp` }
  const challenge = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }
  return `${world.url}/auth/oauth2/authorize?${new URLSearchParams({ ...query, ...challenge }).toString()}`
}

test('[WEB-61] account pages without script work, and have no violations on wide and narrow screens', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled: false })
  const page = await context.newPage()
  // Axe needs scripts, so it checks a page with scripts and the same markup.
  const looked = await browser.newContext({ reducedMotion: 'reduce' })
  const lookAt = async (name: string, act = async (_page: Page): Promise<void> => undefined): Promise<void> => {
    if (!isLong) return
    await looked.clearCookies()
    await looked.addCookies(await context.cookies())
    const other = await looked.newPage()
    const heard = complaints(other)
    await other.setContent('<p>')
    await other.goto(page.url())
    await act(other)
    const check = async (where: string): Promise<void> =>
      expect(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} fits`).toBe(true)
    await lookAtSizes(other, name, { fullPage: true, check })
    expect(heard).toEqual([])
    await other.close()
  }
  const email = 'looks@example.org'
  await page.goto(`${world.url}/sign-in`)
  await lookAt('sign-in')
  await page.getByText('Forgot password?').click()
  await page.getByText('Ask the person who runs this server for a reset link.').waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // The field with the error shows the reason and has the focus.
  await page.getByText('Wrong email or password.').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe(email)
  await page.locator('#password:focus').waitFor()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await lookAt('sign-up')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('short text')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`${world.url}/`)
  // The account page lists a program with access and a token. It shows the token only once.
  await page.goto(await askingProgram('The review bot of the people next door'))
  await lookAt('consent')
  // No server runs at the program's address.
  const sent = page.waitForEvent('requestfailed', (request) => request.url().startsWith('http://127.0.0.1:9/callback?code='))
  await page.getByRole('button', { name: 'Allow' }).click()
  await sent
  await page.waitForURL('chrome-error://chromewebdata/')
  await page.goto(`${world.url}/account`)
  await lookAt('new-token', async (other) => {
    await other.getByText('New access token').click()
    await other.getByLabel('Name of the program').fill('A program that looks at texts')
    await other.getByRole('button', { name: 'Create token' }).click()
    await other.getByText('It is shown only once.').waitFor()
  })
  await lookAt('account', (other) => other.getByText('New access token').click())
  const device = await startDevice('agmd on a laptop')
  await page.goto(`${world.url}/device`)
  await lookAt('device')
  await page.getByLabel('Code').fill(device.user_code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await lookAt('device-compare')
  await page.goto(`${world.url}/sign-out`)
  await lookAt('sign-out')
  await page.goto(`${world.url}/account`)
  await page.getByRole('link', { name: 'Change password' }).press('Enter')
  await lookAt('change-password')
  await page.goto(`${world.url}/account/delete-account`)
  await lookAt('delete-account')
  await page.getByRole('radio', { name: 'Move them to the trash' }).press(' ')
  await page.getByLabel('Current password').fill('short text')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Account deleted' }).waitFor()
  await page.goto(`${world.url}/account`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(`${world.url}/auth/callback?state=x`)
  await lookAt('sign-in-failed')
  await looked.close()
  await context.close()
})

test('[WEB-62] [HOME-16] a person adds a passkey, signs in with it, and removes it', async () => {
  const { context, page, heard } = await join('eve@example.org')
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: /^Remove the passkey/ }).waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  const signedOut = page.getByRole('status').filter({ hasText: 'You are signed out.' })
  await signedOut.waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  expect([page.url(), await signedOut.count()]).toEqual([`${world.url}/`, 0])
  await page.goto(`${world.url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${world.url}/`)
  await page.goto(`${world.url}/account`)
  await page.getByText('eve@example.org').waitFor()
  await page.getByRole('button', { name: /^Remove the passkey/ }).click()
  await page.getByText('instead of a password').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.goto(`${world.url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey does not belong to an account').waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[WORDS-6] [HOME-12] select controls show their full label in German, on a phone and on a desktop', async () => {
  const context = await browser.newContext({ locale: 'de-DE', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const { url } = await createDocument(world.url, '# Auswahl')
  await page.goto(url)
  await saved(page)
  await page.getByRole('button', { name: 'Teilen' }).click()
  const choice = page.locator('.share-form select').first()
  await choice.waitFor()
  for (const viewport of sizes) {
    await page.setViewportSize(viewport)
    // A select control does not report that its label is cut off. A copy without a fixed width shows how much space the label needs.
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLSelectElement>('.share-form select')].flatMap((select) => {
        const free = select.cloneNode(true) as HTMLSelectElement
        free.style.cssText = 'position: absolute; width: auto; min-width: 0'
        select.after(free)
        const wanted = free.offsetWidth
        free.remove()
        return select.offsetWidth < wanted || select.getBoundingClientRect().right > innerWidth
          ? [select.options[select.selectedIndex]?.text]
          : []
      })
    )
    expect(cut, `${viewport.width} px`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 860 })
  const bottoms = await page
    .locator('.share-form :is(select, .button)')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().bottom))
  expect(new Set(bottoms).size).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Mehr', exact: true }).click()
  const entry = page.locator('#menu .menu-item', { hasText: 'Anderes Dokument öffnen' })
  expect((await entry.boundingBox())?.height).toBeLessThan(40)
  expect(
    await entry
      .locator('span')
      .first()
      .evaluate((words) => words.scrollWidth - words.clientWidth)
  ).toBe(0)
  await context.close()
})

test('[ADMINPAGE-9] the pages of administrators fit on wide and narrow screens, in light and dark, without violations', async () => {
  const own = await start({ env: { AGMD_ADMINS: 'root@example.org' } })
  const { service } = own
  await createAccount(service, { email: 'root@example.org', name: 'Root', password, emailVerified: true })
  const name = 'Somebody with a rather long name that goes on'
  const ana = (await createAccount(service, { email: `${'long.'.repeat(12)}@example.org`, name, password })) as Account
  const { token } = await openSession(service, ana.id, 'app', 'A test')
  const asked = { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } }
  const made = await fetch(`${own.url}/api/docs`, { ...asked, body: JSON.stringify({ content: `# ${'A long title '.repeat(8)}` }) })
  const { id } = (await made.json()) as { id: string }
  await fetch(`${own.url}/api/me/tokens`, { ...asked, body: JSON.stringify({ name: 'A script' }) })
  for (let people = 1; people < 4; people++) await recordLoad(service, { people, documents: 1, storeBytes: 1e6, assetBytes: null })
  const { context, page, heard } = await ownPage(browser, { reducedMotion: 'reduce' })
  await page.goto(`${own.url}/sign-in?return_to=%2Fadmin`)
  await page.getByLabel('Email').fill('root@example.org')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Administration' }).waitFor()
  const check = async (where: string): Promise<void> =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} fits`).toBe(true)
  for (const path of ['', '/people', `/person?id=${ana.id}`, '/documents', `/document?id=${id}`, '/access', '/audit']) {
    await page.goto(`${own.url}/admin${path}`)
    await lookAtSizes(page, `admin-${/\w+/.exec(path)?.[0] ?? 'overview'}`, { fullPage: true, check })
  }
  await page.goto(`${own.url}/admin/person?id=${ana.id}`)
  await page.getByRole('button', { name: 'Delete account…' }).click()
  await page.getByRole('heading', { name: 'Delete this account?' }).waitFor()
  await lookAtSizes(page, 'admin-confirm', { fullPage: true, check })
  expect(heard).toEqual([])
  await context.close()
  await own.stop()
})
