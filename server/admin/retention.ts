/** Describes, in one sentence, how long old versions are kept. */

/** Returns the sentence. `days` limits the age of versions, and `revisions` limits the number of revisions without a name. 0 means no limit. */
export const retentionText = ({ days, revisions }: { readonly days: number; readonly revisions: number }): string => {
  if (days === 0 && revisions === 0)
    return 'All versions of documents are kept. AGMD_HISTORY_DAYS and AGMD_HISTORY_REVISIONS can limit them.'
  const age = `older than ${days} days`
  const number = `not among the newest ${revisions} without a name`
  const which = revisions === 0 ? age : days === 0 ? number : `${age} or ${number}`
  return `Versions that are ${which} are removed once a day. Named versions and the newest ones stay.`
}
