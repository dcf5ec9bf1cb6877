/** A module that imports this has the icons that nothing on the first page needs. */
import { addIcons } from './icons.tsx'
import { paths } from './more-icon-paths.ts'

addIcons(paths)
