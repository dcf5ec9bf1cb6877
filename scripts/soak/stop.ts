/**
 * Stops the server under load: `npm run soak stop [people] [requests a second]`, 200 and 50 by default. It exits with 1 if the server takes longer
 * than 10 s to stop, does not exit with 0, or loses an acknowledged change.
 */
import { stopUnderLoad } from '../../test/faults/stopping.ts'
import { limits } from '../../shared/limits.ts'

const [typists = 200, requestsPerSecond = 50] = process.argv.slice(2).map(Number)
const { code, stopSeconds, acknowledged, lost } = await stopUnderLoad({ typists, requestsPerSecond, seconds: 10 })
console.log(`${typists} people and ${requestsPerSecond} requests a second: exit ${code} within ${stopSeconds.toFixed(1)} s`)
console.log(`${acknowledged} edits acknowledged, ${lost.length} of them lost`)
process.exit(code === 0 && stopSeconds <= limits.stopSecondsMax && lost.length === 0 ? 0 : 1)
