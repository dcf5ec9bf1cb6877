/** The color theme: light, dark, or the system's setting. `public/theme.js` applies the stored value before the first paint. */
import { signal } from '@preact/signals'
import { deviceValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

const storageKey = deviceValue('theme')

export type Theme = 'system' | 'light' | 'dark'

const stored = readDevice(storageKey)

export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export function setTheme(value: Theme): void {
  theme.value = value
  writeDevice(storageKey, value === 'system' ? null : value)
  if (value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = value
}
