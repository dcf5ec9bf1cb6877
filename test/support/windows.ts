/**
 * Gives every time that edits and commits wait for each other the same length, in milliseconds: AGMD_TEST_WINDOW_MS. Edits then wait even if few
 * people write. `test/seed.ts` imports this file into the tests. The servers that tests start import it through NODE_OPTIONS
 * (`scripts/soak/windows.ts`).
 */
import { limits } from '../../shared/limits.ts'

const window = process.env['AGMD_TEST_WINDOW_MS']
if (window !== undefined) {
  Object.assign(limits as Record<string, unknown>, {
    roundMs: Number(window),
    roundDocumentsMin: 0,
    crowdWaitMsMax: Number(window),
    crowdPerMs: 0.001,
    crowdMin: 0,
    commitGroupMs: Number(window),
    commitGroupMin: 0,
    nodeNoticeMs: Number(window)
  })
}
