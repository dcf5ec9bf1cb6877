/** Messages for a document that cannot be shown. Each message states the reason and the next step. */
import { term } from '../text/t.ts'
import type { RefusalKind } from './refusals.ts'

interface Words {
  readonly title: string
  readonly text: string
  /** Whether the page retries automatically. */
  readonly retries?: boolean
  /** Whether the document may open after signing in. */
  readonly signIn?: boolean
}

export const refusalWords: Readonly<Record<RefusalKind, Words>> = {
  private: {
    title: term('This document is private'),
    text: term('Ask the owner for a link. You do not need an account to use it. If the document is yours, sign in.'),
    signIn: true
  },
  ended: {
    title: term('This link no longer works'),
    text: term('The link was revoked, has expired or is incomplete. Ask for a new one.')
  },
  forbidden: {
    title: term('You do not have access'),
    text: term('Your link does not open this document. Ask for a new one.')
  },
  not_found: { title: term('There is no such document'), text: term('Check the address. Part of the link may be missing.') },
  deleted: {
    title: term('This document was deleted'),
    text: term('It cannot be restored.')
  },
  taken_down: {
    title: term('You do not have access'),
    text: term('It was taken down.')
  },
  rate_limited: { title: term('Too many requests'), text: term('Wait a moment. This page tries again automatically.'), retries: true },
  server_error: {
    title: term('Something went wrong on our side'),
    text: term('The document is safe. This page tries again automatically.'),
    retries: true
  },
  restarting: {
    title: term('The server is restarting'),
    text: term('The document will open automatically in a few seconds.'),
    retries: true
  },
  never_opened: {
    title: term('You are offline'),
    text: term('This device has no copy of the document yet. It opens automatically when you are back online.'),
    retries: true
  },
  no_page: { title: term('There is nothing at this address'), text: term('Check the address, or go to your documents.') }
}
