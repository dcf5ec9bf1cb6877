/** Identity providers for tests of real clients: the embedded one, and an independent one in another process. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { password, type Visitor } from './visitor.ts'

export interface Provider {
  readonly url: string
  stop(): Promise<void>
}

export const startProvider = async (): Promise<Provider> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'provider-process.ts')], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /^ready (\S+)$/m.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then(() => reject(new Error(`the provider ended: ${output}`)))
  })
  return {
    url,
    stop() {
      child.kill()
      return ended
    }
  }
}

/** The steps with which a person signs in and agrees on the pages of a provider. */
export interface Pages {
  signIn(visitor: Visitor, email: string): Promise<unknown>
  agree(visitor: Visitor): Promise<unknown>
  /** Confirms the code of a device that the page shows. */
  confirmDevice(visitor: Visitor, code: string): Promise<unknown>
}

const formTo = (visitor: Visitor, pattern: RegExp): string => pattern.exec(visitor.page.text)?.[1] ?? 'none'

export const ownPages: Pages = {
  signIn: (visitor, email) => visitor.submit('/sign-in', { email, password }),
  agree: (visitor) => visitor.submit('/agree'),
  async confirmDevice(visitor, code) {
    await visitor.submit('/auth/oauth2/device', { user_code: code })
    await visitor.submit('/auth/oauth2/device', { confirm: 'yes' })
  }
}

const interaction = /action="([^"]*\/interaction\/[^"]*)"/

/** The pages of `oidc-provider` as it includes them for development. */
export const otherPages: Pages = {
  signIn: (visitor, email) => visitor.submit(new URL(formTo(visitor, interaction)).pathname, { login: email, password: 'any' }),
  agree: (visitor) => visitor.submit(new URL(formTo(visitor, interaction)).pathname),
  async confirmDevice(visitor, code) {
    await visitor.submit('/device', { user_code: code })
    await visitor.submit('/device', { confirm: 'yes' })
  }
}
