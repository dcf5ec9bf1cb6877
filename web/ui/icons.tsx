/**
 * Icons of Lucide (ISC license, lucide.dev) as path data on a 24 × 24 grid. Only the icons in use are included. This file contains the icons of the
 * first page and of the bars around the text. The others appear once more-icons.ts has loaded.
 */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { box } from './icon-box.ts'
import type { MoreIcons } from './more-icon-paths.ts'

const paths = {
  align: 'M21 5H3M17 12H7M19 19H5',
  bell: 'M10.268 21a2 2 0 0 0 3.464 0M3.262 15.326A1 1 0 0 0 4 17h16a1 1 0 0 0 .74-1.673C19.41 13.956 18 12.499 18 8A6 6 0 0 0 6 8c0 4.499-1.411 5.956-2.738 7.326',
  bold: 'M6 12h9a4 4 0 0 1 0 8H7a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h7a4 4 0 0 1 0 8',
  'book-open':
    'M12 7v14M3 18a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h5a4 4 0 0 1 4 4 4 4 0 0 1 4-4h5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-6a3 3 0 0 0-3 3 3 3 0 0 0-3-3z',
  bot: 'M12 8V4H8M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM2 14h2M20 14h2M15 13v2M9 13v2',
  check: 'M20 6 9 17l-5-5',
  code: 'm16 18 6-6-6-6M8 6l-6 6 6 6',
  'column-after': 'M4 4h8v16H4zM18 9v6M15 12h6',
  'column-before': 'M12 4h8v16h-8zM6 9v6M3 12h6',
  'column-delete': 'M9 4h6v16H9zM3 10l3 4M6 10l-3 4M18 10l3 4M21 10l-3 4',
  copy: 'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zM4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2',
  download: 'M12 15V3M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5',
  ellipsis: 'M5 11.2a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6zM12 11.2a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6zM19 11.2a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6z',
  file: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7zM14 2v4a2 2 0 0 0 2 2h4M16 13H8M16 17H8M10 9H8',
  heading: 'M6 12h12M6 20V4M18 20V4',
  home: 'M15 21v-8a1 1 0 0 0-1-1h-4a1 1 0 0 0-1 1v8M3 10a2 2 0 0 1 .709-1.528l7-6a2 2 0 0 1 2.582 0l7 6A2 2 0 0 1 21 10v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
  image: `${box}M9 7a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM21 15l-3.086-3.086a2 2 0 0 0-2.828 0L6 21`,
  italic: 'M19 4h-9M14 20H5M15 4 9 20',
  key: 'm15.5 7.5 2.3 2.3a1 1 0 0 0 1.4 0l2.1-2.1a1 1 0 0 0 0-1.4L19 4M21 2l-9.6 9.6M13 15.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z',
  link: 'M10 13a5 5 0 0 0 7.54.54l3-3a5 5 0 0 0-7.07-7.07l-1.72 1.71M14 11a5 5 0 0 0-7.54-.54l-3 3a5 5 0 0 0 7.07 7.07l1.71-1.71',
  list: 'M3 5h.01M3 12h.01M3 19h.01M8 5h13M8 12h13M8 19h13',
  'list-ordered': 'M11 5h10M11 12h10M11 19h10M4 4h1v5M4 9h2M6.5 20H3.4c0-1 2.6-1.925 2.6-3.5a1.5 1.5 0 0 0-2.6-1.02',
  'list-todo': 'M13 5h8M13 12h8M13 19h8M3 17l2 2 4-4M4 4h4a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z',
  'list-tree': 'M8 5h13M13 12h8M13 19h8M3 10a2 2 0 0 0 2 2h3M3 5v12a2 2 0 0 0 2 2h3',
  message: 'M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2z',
  'message-plus': 'M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2zM12 7v6M9 10h6',
  pen: 'M12 20h9M16.376 3.622a1 1 0 0 1 3.002 3.002L7.368 18.635a2 2 0 0 1-.855.506l-2.872.838a.5.5 0 0 1-.62-.62l.838-2.872a2 2 0 0 1 .506-.854z',
  'pen-line':
    'M13 21h8M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
  quote: 'M17 5H3M21 12H8M21 19H8M3 12v7',
  redo: 'm15 14 5-5-5-5M20 9H9.5a5.5 5.5 0 0 0 0 11H13',
  'row-above': 'M4 12h16v8H4zM12 3v6M9 6h6',
  'row-below': 'M4 4h16v8H4zM12 15v6M9 18h6',
  'row-delete': 'M4 9h16v6H4zM10 18l4 3M14 18l-4 3M10 3l4 3M14 3l-4 3',
  'square-code': `M10 9l-3 3 3 3M14 15l3-3-3-3${box}`,
  strikethrough: 'M16 4H9a3 3 0 0 0-2.83 4M14 12a4 4 0 0 1 0 8H6M4 12h16',
  table: `M12 3v18M3 9h18M3 15h18${box}`,
  trash: 'M3 6h18M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2',
  undo: 'M9 14 4 9l5-5M4 9h10.5a5.5 5.5 0 0 1 0 11H11',
  upload: 'M12 3v12M17 8l-5-5-5 5M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  users: 'M2 21a8 8 0 0 1 13.292-6M10 3a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM19 16v6M22 19h-6',
  x: 'M18 6 6 18M6 6l12 12'
} as const

export type IconName = keyof typeof paths | keyof MoreIcons

const all = signal<Readonly<Partial<Record<IconName, string>>>>(paths)

/** Adds the icons that load later. */
export function addIcons(more: MoreIcons): void {
  all.value = { ...paths, ...more }
}

/** Returns the path data of an icon, for code that does not use Preact. */
export const iconPath = (name: IconName): string => all.peek()[name] ?? ''

/** Draws an icon. It is decorative, because the control around it has a label. */
export const Icon = ({ name, size = 20 }: { name: IconName; size?: number }): JSX.Element => (
  <svg
    class='icon'
    width={size}
    height={size}
    viewBox='0 0 24 24'
    fill='none'
    stroke='currentColor'
    stroke-width='1.75'
    stroke-linecap='round'
    stroke-linejoin='round'
    aria-hidden='true'
  >
    <path d={name in paths ? paths[name as keyof typeof paths] : all.value[name]} />
  </svg>
)

/** Draws the logo of the service. */
export const Logo = ({ size = 24 }: { size?: number }): JSX.Element => (
  <svg class='logo' width={size} height={size} viewBox='0 0 32 32' aria-hidden='true'>
    <rect width='32' height='32' rx='8' class='logo-paper' />
    <path d='M9 11h14M9 16h9M9 21h5' class='logo-line' />
    <path d='M20.5 18.5v6' class='logo-cursor' />
  </svg>
)
