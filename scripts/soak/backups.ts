/**
 * Makes backups while people type and programs write: `npm run soak backups [backups] [people] [programs] [seconds]`, by default 12 backups, one every
 * 10 s, with 60 people and 8 programs. Each backup is restored into an empty folder, verified, and compared with the changes that were acknowledged
 * before it began. It exits with 1 if an acknowledged change is missing or present twice, or if `admin verify` finds a problem.
 */
import { backUpUnderLoad } from '../../test/faults/backing-up.ts'

const [backups = 12, typists = 60, programs = 8, everySeconds = 10] = process.argv.slice(2).map(Number)
const rounds = await backUpUnderLoad({ backups, typists, programs, everySeconds }, (round) => {
  const { acknowledged, meanwhile, found, lost, twice, problems, backupSeconds, writtenBytes } = round
  const size = `${(writtenBytes / 1024 / 1024).toFixed(1)} MiB written in ${backupSeconds.toFixed(1)} s`
  console.log(`${size}: ${acknowledged} acknowledged before the backup, ${meanwhile} during it; ${found} restored`)
  console.log(`  ${lost.length} lost, ${twice.length} twice, ${problems} problems`)
})
const sound = rounds.filter(({ lost, twice, problems }) => lost.length + twice.length + problems === 0)
console.log(`${sound.length} of ${rounds.length} backups have everything that was acknowledged before they began`)
process.exit(sound.length === backups ? 0 : 1)
