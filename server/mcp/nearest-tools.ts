/** Finds the tools that were probably meant when a call names an unknown tool. */
import { nearest } from '../../shared/nearest.ts'
import { allTools } from './list.ts'

/** Words that other services use in tool names. */
const words: Readonly<Record<string, string>> = {
  document: 'doc',
  documents: 'docs',
  page: 'doc',
  file: 'doc',
  get: 'read',
  fetch: 'read',
  open: 'read',
  update: 'edit',
  write: 'edit',
  modify: 'edit',
  find: 'search',
  link: 'share',
  links: 'shares'
}

/** Names that other services use for a tool and that share no word with its name. */
const otherNames: Readonly<Record<string, string>> = {
  edit_doc: 'replace_doc',
  edit_content: 'replace_doc',
  read_content: 'read_doc',
  read_text: 'read_doc',
  search_docs: 'search',
  search_doc: 'search',
  insert: 'replace_doc',
  str_replace: 'replace_doc'
}

/** The minimum length of a word that identifies a tool. Shorter words, such as doc and list, occur in many names. */
const wordUnitsMin = 5
const nameUnitsMax = 60
const meantMax = 3

const called = (bare: string): string =>
  bare
    .split(/[_.-]/)
    .map((word) => (Object.hasOwn(words, word) ? words[word] : word))
    .join('_')

/** Returns at most three suggestions, under the names that the connection lists: ` Did you mean svc.read_doc?`. Returns '' if no name is similar. */
export const toldTools = (prefix: string, name: string): string => {
  const joint = name[prefix.length] === '_' ? '_' : '.'
  const bare = called((name.startsWith(prefix) ? name.slice(prefix.length + 1) : name).slice(0, nameUnitsMax).toLowerCase())
  const all = allTools.map((tool) => tool.name)
  const long = bare.split('_').filter((word) => word.length >= wordUnitsMin)
  const near = Object.hasOwn(otherNames, bare) ? otherNames[bare] : nearest(bare, all)
  const alike = all.filter((tool) => long.some((word) => tool.includes(word.replace(/s$/, ''))))
  const meant = near === undefined ? alike.slice(0, meantMax) : [near]
  return meant.length === 0 ? '' : ` Did you mean ${meant.map((tool) => `${prefix}${joint}${tool}`).join(', or ')}?`
}
