/** Adds the icons that the first page does not need to any page that imports this module. */
import { addIcons } from './icons.tsx'
import { paths } from './more-icon-paths.ts'

addIcons(paths)
