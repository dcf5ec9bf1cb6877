/**
 * Completes package-lock.json with the platform binaries that the configured registry lacks, so that `npm ci` accepts the lock file everywhere.
 * Without these entries, npm leaves out packages that it cannot look up, and then reports that its own lock file is incomplete. Run this script after
 * every `npm install`.
 *
 * `--integrity` asks the registry for the checksum of each entry that has none, one entry at a time, and lists the packages that the registry lacks.
 * A second argument names another lock file.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const [other] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const file = other ?? new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'netbsd', 'openharmony', 'sunos', 'aix', 'win32']
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

/** Returns the platform of a package, based on its name. */
const platformOf = (name) => {
  const words = name.split('/').at(-1).split('-')
  const find = (known) => known.filter((each) => words.includes(each))
  const libc = words.some((word) => word.startsWith('gnu')) ? ['glibc'] : words.some((word) => word.startsWith('musl')) ? ['musl'] : []
  return {
    ...(find(processors).length > 0 ? { cpu: find(processors) } : {}),
    ...(find(systems).length > 0 ? { os: find(systems) } : {}),
    ...(libc.length > 0 ? { libc } : {})
  }
}

const added = []
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '') continue
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`
    const place = `node_modules/${name}`
    const platform = platformOf(name)
    if (lock.packages[nested] || lock.packages[place] || platform.os === undefined) continue
    lock.packages[place] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true }
    added.push(name)
  }
}
/** Returns the registry's checksum for a package; undefined if the registry does not have the package. */
const integrityOf = (name, version) => {
  try {
    const said = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return said.toString().trim() || undefined
  } catch {
    return undefined
  }
}

const unverified = Object.entries(lock.packages).filter(
  ([path, entry]) => path !== '' && entry.link !== true && entry.integrity === undefined
)
const unknown = []
if (process.argv.includes('--integrity'))
  for (const [path, entry] of unverified) {
    const name = path.split('node_modules/').at(-1)
    entry.integrity = integrityOf(name, entry.version)
    if (entry.integrity === undefined) unknown.push(name)
  }
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added.length} platform packages added\n`)
if (process.argv.includes('--integrity'))
  process.stdout.write(
    `${unverified.length - unknown.length} checksums filled in; not carried by the registry: ${unknown.join(' ') || 'none'}\n`
  )
else if (unverified.length > 0)
  process.stdout.write(`${unverified.length} entries have no checksum: node scripts/complete-lock.mjs --integrity asks for them\n`)
