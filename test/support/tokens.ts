/** Agents that append tokens to documents under load, and the comparison of all documents with the ledger after the load. */
import { countTokens, putMarkdown, readMarkdown, type Target, type TokenLedger } from './typist.ts'

export interface AppendingAgent {
  /**
   * Reads a document, appends a token, and sends the text with the version that it read. After a refusal or a lost answer, the next call sends the
   * same token, unless the document already contains it. Returns the status.
   */
  append(target: Target): Promise<number>
}

export const appendingAgent = (name: string, ledger: TokenLedger): AppendingAgent => {
  let token: string | undefined
  return {
    async append(target) {
      const { content, version } = await readMarkdown(target)
      if (token !== undefined && content.includes(token)) token = undefined
      token ??= ledger.make(name)
      const { status } = await putMarkdown(target, `${content}${token}\n`, version, name)
      if (status === 200) {
        ledger.acknowledged.add(token)
        token = undefined
      }
      return status
    }
  }
}

/** Returns how often each token occurs in some documents together. */
export const countAllTokens = async (targets: readonly Target[]): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const target of targets)
    for (const [token, count] of countTokens((await readMarkdown(target)).content)) counts.set(token, (counts.get(token) ?? 0) + count)
  return counts
}

/** Returns the tokens with faults, given their counts: expected ones that are absent, and those that occur twice. */
export const wrongTokens = (expected: Iterable<string>, counts: ReadonlyMap<string, number>): { lost: string[]; twice: string[] } => ({
  lost: [...expected].filter((token) => !counts.has(token)),
  twice: [...counts].filter(([, count]) => count > 1).map(([token]) => token)
})
