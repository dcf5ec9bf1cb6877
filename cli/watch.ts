/** The command `docs watch`, which synchronizes a file and its document in both directions. */
import { type FSWatcher, watch as watchFolder } from 'node:fs'
import { basename, dirname } from 'node:path'
import { exitCodes } from '../shared/exit-codes.ts'
import { limits } from '../shared/limits.ts'
import type { Call } from './call.ts'
import { Failure, reportOf } from './failure.ts'
import { readLink } from './pulled-file.ts'
import { pullInto } from './pull.ts'
import { isEmptied, pushFile } from './push.ts'
import { mustRead } from './sync.ts'

/** Time that the file must stay unchanged before it is pushed, in milliseconds. Editors save in several steps. */
const quietMs = 300

/** First delay before an unreachable service is tried again, in milliseconds. The delay doubles up to a maximum. */
const retryMs = 1_000
const retryMsMax = 30_000

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const contentKinds = 'content.changed,content.replaced,content.restored'

export const watch = async (call: Call): Promise<never> => {
  const file = call.positional('FILE') ?? ''
  const address = call.address('FILE')
  const client = call.client(address)
  const told = (what: 'pulled' | 'pushed' | 'waiting', words: string): void => {
    const version = readLink(file)?.version
    if (call.terminal.flags.json) call.terminal.line({ type: what, file, version })
    else call.terminal.say(`${words} (version ${version})`)
  }
  // Only one synchronization runs at a time. The next one handles the changes that arrive meanwhile.
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const next = turn.then(step)
    turn = next.catch(() => undefined)
    return next
  }
  const bring = async (): Promise<void> => {
    const how = pullInto(call, file, address, await client.readContent(address.doc), { merge: true, force: false })
    if (how === 'updated' || how === 'merged') told('pulled', `${how === 'merged' ? 'Merged into' : 'Updated'} ${file}`)
  }
  const take = async (): Promise<void> => {
    const local = mustRead(file)
    const base = readLink(file)?.base ?? ''
    if (local === base) return
    // Some programs empty a file before they write it. A person who wants an empty document can push the file.
    if (isEmptied(local, base)) return told('waiting', `${file} is empty and was not pushed; to push it: agmd docs push ${file}`)
    try {
      const { changed } = await pushFile(call, address, file, true)
      if (changed) told('pushed', `Pushed ${file}`)
    } catch (error) {
      // The file was saved again during the push. A separate event reports that change.
      if (!(error instanceof Failure) || error.code !== 'file_changed') throw error
    }
  }

  // Node 20 has no Promise.withResolvers.
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  const ended = new AbortController()
  let watcher: FSWatcher | undefined
  await inTurn(bring)
  if (call.flag('two-way') === true) {
    await inTurn(take)
    let timer: NodeJS.Timeout | undefined
    // Editors replace a file by renaming another one, so the folder is watched instead of the file.
    watcher = watchFolder(dirname(file), (_event, name) => {
      if (name !== basename(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => void inTurn(take).catch(fail), quietMs)
    })
  }
  told('waiting', `Watching ${file}. Press Ctrl-C to stop.`)

  const follow = async (): Promise<never> => {
    let since: number | 'latest' = 'latest'
    for (let wait = retryMs; ;) {
      try {
        const { latest, events } = await client.listEvents(
          address.doc,
          { since, types: contentKinds, wait: since === 'latest' ? 0 : limits.eventWaitSecondsMax },
          { signal: ended.signal }
        )
        // Changes may have been made between the first pull and the first cursor.
        if (since === 'latest' || events.length > 0) await inTurn(bring)
        since = latest
        wait = retryMs
      } catch (error) {
        if (ended.signal.aborted || reportOf(error).exit < exitCodes.rateLimited) throw error
        await pause(wait)
        wait = Math.min(wait * 2, retryMsMax)
      }
    }
  }
  try {
    return await Promise.race([follow(), failed])
  } finally {
    // A pending request would keep the process running.
    ended.abort()
    watcher?.close()
  }
}
