/** A module that imports this gets the icons that the first page does not need. */
import { addIcons } from './icons.tsx'
import { paths } from './more-icon-paths.ts'

addIcons(paths)
