/** Commands for the settings of this device and for signing in. */
import { signedIn } from '../client/signed-in.ts'
import { setTheme, theme, type Theme } from '../device/theme.ts'
import { language, type Language, setLanguage, term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

const themes: Readonly<Record<Theme, string>> = {
  system: term('Theme: System'),
  light: term('Theme: Light'),
  dark: term('Theme: Dark')
}

const languages: Readonly<Record<Language, string>> = {
  en: term('Language: English'),
  de: term('Language: Deutsch')
}

const themeCommand = (value: Theme): Command => ({
  id: `theme.${value}`,
  title: themes[value],
  group: 'settings',
  words: term('appearance color dark mode'),
  when: () => theme.value !== value,
  run: () => setTheme(value)
})

const languageCommand = (value: Language): Command => ({
  id: `language.${value}`,
  title: languages[value],
  group: 'settings',
  words: term('German of the pages'),
  when: () => language() !== value,
  run: () => setLanguage(value)
})

export const settingCommands: readonly Command[] = [
  ...(Object.keys(themes) as Theme[]).map(themeCommand),
  ...(Object.keys(languages) as Language[]).map(languageCommand),
  {
    id: 'sign.in',
    title: term('Sign in'),
    group: 'settings',
    icon: 'key',
    words: term('log in account'),
    when: () => signedIn.value === false,
    run: ({ session }) => location.assign(`/sign-in?return_to=${encodeURIComponent(`/d/${session.id}`)}`)
  },
  {
    id: 'sign.out',
    title: term('Sign out'),
    group: 'settings',
    icon: 'key',
    words: term('log out account'),
    when: () => signedIn.value === true,
    run: ({ session }) => location.assign(`/sign-out?return_to=${encodeURIComponent(`/d/${session.id}`)}`)
  }
]
