/** Names that other editors, tools and interfaces use for edit operations and their fields, mapped to ours. */
import { meaningOf, nearest, type OtherNames, plainField } from '../nearest.ts'

/** Each meaning with its names, in order of preference. An operation uses the first meaning that fits. */
const names: readonly (readonly [meaning: string, names: string])[] = [
  ['op', 'command action kind method'],
  ['find', 'old oldtext oldvalue oldstring oldstr original originaltext search searchtext searchfor pattern query match target quote'],
  [
    'find',
    'needle existing before from selection selectedtext snippet phrase word words string substring anchor anchortext containstext text'
  ],
  ['with', 'new newtext newvalue newstring newstr replacement replacementtext replacewith replacetext replace by to after'],
  ['with', 'value insert substitute result markdown content text body'],
  ['item', 'find todo task label words name text content title old search'],
  ['checked', 'done state completed complete ischecked isdone finished value status'],
  [
    'markdown',
    'body value text content new newtext newcontent insert inserttext with replacement string str block blocks children paragraph data md to'
  ],
  ['cells', 'values row columns cols data fields cell'],
  ['text', 'content to with new newtext newvalue replacement body data'],
  ['row and column', 'cell address a1 range ref coordinates'],
  ['row', 'rowindex rowid rownumber rowname r y'],
  ['column', 'col columnindex columnid columnnumber columnname c x field property'],
  ['table', 'tableindex tablenumber tableid index'],
  ['header', 'headers columns columnnames headerrow'],
  ['sheet', 'sheetid sheetname spreadsheet'],
  ['section', 'under in within parent path sectiontitle sectionname headingpath headingtitle target inside chapter list'],
  ['after', 'insertafter follows previous'],
  ['before', 'insertbefore precedes next'],
  ['after, before or at', 'position where place location index insertline offset anchor target find section row'],
  ['from and to', 'lines range linerange line viewrange'],
  ['from', 'start startline fromline first linestart begin firstline'],
  ['to', 'end endline toline last lineend lastline count'],
  ['prefix', 'precededby contextbefore textbefore before'],
  ['suffix', 'followedby contextafter textafter after'],
  ['expected', 'count expectedcount expectedreplacements times matches occurrences'],
  ['occurrence', 'nth index instance matchindex number position which'],
  ['line', 'linenumber atline startline'],
  ['op insert', 'after before at position insertafter insertbefore where'],
  ['op replace_all', 'all multiple global everywhere replaceall allowmultiple expected count expectedreplacements occurrences'],
  ['op replace_lines', 'from start startline end endline lines range linerange'],
  ['op replace_section', 'section heading'],
  ['op replace', 'with replacement new newtext newstring'],
  ['op set_cell', 'cell row column col table'],
  ['op check', 'checked done'],
  ['mode outside this edit', 'mode suggest as suggestion suggesting trackchanges'],
  ['dryRun outside this edit', 'dryrun preview simulate'],
  ['baseVersion outside this edit', 'baseversion version revision requiredrevisionid targetrevisionid ifmatch etag'],
  ['note outside this edit with mode suggest', 'note comment reason explanation why'],
  ['author outside this edit', 'author user agent'],
  ['label outside this edit', 'label message commitmessage description']
]

/** The meanings of each name, the most likely first. */
const meanings = new Map<string, readonly string[]>()
for (const [meaning, words] of names) for (const word of words.split(' ')) meanings.set(word, [...(meanings.get(word) ?? []), meaning])

/** Returns a function that gives the meanings of a field name in an operation. It omits the hint to use that same operation. */
export const otherNamesFor =
  (op: string): OtherNames =>
  (name) =>
    (meanings.get(name) ?? []).filter((meaning) => meaning !== `op ${op}`)

/** Names that other editors use for our operations. */
const operationNames: Readonly<Record<string, string>> = {
  replace: 'substitute change update edit modify strreplace searchreplace searchandreplace findreplace findandreplace set updateblock swap',
  delete: 'remove cut erase strike del deletetext deleteblock deletecontentrange',
  insert: 'inserttext insertafter insertbefore addbefore addafter prepend insertblock insertcontent',
  append: 'add push appendtext appendblock addtext appendblockchildren appendcontent addsection create createblock',
  replace_section: 'updatesection setsection rewritesection editsection section',
  replace_lines: 'lines line deletelines editlines replacerange setlines insertline updatelines replaceline',
  set_document: 'replacedocument rewrite write overwrite replacecontent setcontent settext replacedoc setall replacefile',
  replace_all: 'replaceall replacealltext substituteall globalreplace sed',
  append_row: 'addrow insertrow newrow inserttablerow addtablerow appendrows',
  set_cell: 'updatecell cell editcell writecell updatecells setvalue',
  check: 'toggle tick complete uncheck checkitem setchecked checktask done toggletask todo',
  append_item: 'additem addlistitem insertitem addtask addtodo appendlistitem newitem'
}

/** Other names for `op` itself. */
export const otherOpNames = ['command', 'action', 'kind', 'method'] as const

/** Returns the operation that was probably meant by an edit with an unknown or missing `op`. It is found by its name, or otherwise by its fields. */
export const operationMeant = (
  given: Readonly<Record<string, unknown>>,
  fieldsOf: Readonly<Record<string, readonly string[]>>
): string | undefined => {
  const only = Object.keys(given).length === 1 ? Object.keys(given)[0] : undefined
  const word = ['op', ...otherOpNames].map((name) => given[name]).find((value) => typeof value === 'string')
  if (word !== undefined) return operationCalled(String(word))
  // Google Docs names a request by its only field.
  const wrapped = only === undefined ? undefined : operationCalled(only)
  if (wrapped !== undefined) return wrapped
  const known = Object.entries(fieldsOf).map(([op, fields]) => ({ op, fit: fitOf(op, fields, given) }))
  const [best] = known.toSorted((one, other) => other.fit - one.fit)
  return best !== undefined && best.fit > 0 ? best.op : undefined
}

const operationCalled = (word: string): string | undefined => {
  if (word.length > wordUnitsMax) return undefined
  const said = plainField(word)
  const [known] = Object.entries(operationNames).find(([, words]) => words.split(' ').includes(said)) ?? []
  return known ?? nearest(word.toLowerCase(), Object.keys(operationNames))
}

/** Longest word that is looked up as the name of an operation, in UTF-16 units. */
const wordUnitsMax = 40

/** Maximum number of names that are compared with the fields of an operation. No operation has that many fields. */
const namesMax = 20

/** Returns how many of the given names are fields of an operation, or other names for its fields. */
const fitOf = (op: string, fields: readonly string[], given: Readonly<Record<string, unknown>>): number =>
  Object.keys(given)
    .slice(0, namesMax)
    .filter((name) => fields.includes(name) || fields.includes(meaningOf(name, fields, otherNamesFor(op)) ?? '')).length
