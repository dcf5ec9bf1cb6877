/** Combines two versions of a suggestion that its author changed in two tabs at once. */
import { ChangeSet, Text } from '@codemirror/state'
import { diff } from '../../../shared/text/diff.ts'

const textOf = (text: string): Text => Text.of(text.split('\n'))
const changesOf = (before: string, after: string): ChangeSet => ChangeSet.of([...diff(before, after)], before.length, '\n')

/** Returns the changes from `mine` to the text with the changes of both versions since `before`. Words of the other tab come first. */
export const changesToBoth = (before: string, mine: string, theirs: string): ChangeSet =>
  changesOf(before, theirs).map(changesOf(before, mine), true)

/** Returns the text that has the changes of both versions since `before`. */
export const bothVersions = (before: string, mine: string, theirs: string): string =>
  changesToBoth(before, mine, theirs).apply(textOf(mine)).toString()
