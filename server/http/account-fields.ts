/** Fields of the forms that create an account or change its password, and the rule that decides who can create an account. */
import { hash } from 'node:crypto'
import { limits } from '../../shared/limits.ts'
import { term } from '../../shared/words.ts'
import { field, type Markup } from './html.ts'
import type { Words } from './words.ts'

export type SignUp = 'open' | 'invite' | 'closed'

/** Returns the reason why a person cannot create an account; undefined if they can. `isInvited` means that the person has an invitation link. */
export const signUpRefusal = (signUp: SignUp, isInvited: boolean): string | undefined => {
  if (signUp === 'closed') return term('This server does not accept new accounts.')
  if (signUp === 'open' || isInvited) return undefined
  return term('You need an invitation to create an account. Ask the person who runs this server.')
}

/** Returns the name under which wrong passwords are counted. It is the same whether or not the email address has an account. */
export const countedAs = (email: string): string => hash('sha256', email, 'base64url')

export const newPasswordField = ({ t }: Words, error?: string, label = t('Password')): Markup =>
  field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    minLength: limits.passwordCharsMin,
    maxLength: limits.passwordCharsMax,
    hint: t('At least {count} characters. Several words make a good password.', { count: limits.passwordCharsMin }),
    error
  })

/** The script that fills in the name field with the name that the person uses on this device (`web/public/guest-name.js`). */
export const guestNameScript = '/guest-name.js'

export const nameField = ({ t }: Words, value?: string): Markup =>
  field({
    name: 'name',
    label: t('Name (optional)'),
    autocomplete: 'name',
    maxLength: limits.authorUnitsMax,
    required: false,
    value,
    hint: t('Others see this name. Without a name, they see “Someone”.')
  })
