// The only entry point of `npm start`, `npm test` and the other npm scripts. It is plain JavaScript, because any Node >= 20 must be able to run it on
// a fresh clone before anything is installed. It installs missing packages, finds the Node 24 that runs our TypeScript, and starts that Node.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const inRoot = (...parts) => join(root, ...parts)
const inContinuousIntegration = !['', '0', 'false'].includes(process.env.CI ?? '')

/** The exit code EX_USAGE from sysexits.h. */
const exitUsage = 64
const oldestNode = 20
const runtimeNode = 24
// npm forwards signals that the terminal has already sent to this process. If the same signal arrives again within this time, it comes from npm and
// is not a second request.
const echoMilliseconds = 500
// How often a service checks whether npm was killed.
const parentCheckMilliseconds = 1000
// Time from the first signal until a service is killed. A service that does not hang has ended before then (`limits.stopSecondsMax`).
const stopMillisecondsMax = 10_000

const commands = {
  start: { run: start, tools: false, help: 'install missing packages, build outdated pages, and serve on http://localhost:8080' },
  dev: { run: dev, tools: true, help: '[folder] serve on http://localhost:5173, and reload after every change in the sources' },
  build: { run: build, tools: false, help: 'build the web pages and the client into dist' },
  test: { run: test, tools: true, help: 'set up and run the whole suite; with file names, only those tests' },
  'test:all': {
    run: testAll,
    tools: true,
    help: 'run the whole suite, including the long runs: appearance, more variants, all seeds, all hostile documents, 50 kills'
  },
  check: { run: check, tools: true, help: 'check format, types, lint, dead code and regular expressions, and run the fast tests' },
  types: { run: types, tools: true, help: 'check the types' },
  lint: { run: (...words) => runTool([...staticChecks.lint, ...words]), tools: true, help: '[file] check the sources for common mistakes' },
  'test:unit': { run: unitTests, tools: true, help: '[file] run the fast tests: no browser, no faults, no fuzz' },
  'test:browser': { run: browserTests, tools: true, help: '[file] run the tests in Chromium' },
  screens: { run: screens, tools: true, help: '[file] take pictures of the pages, in test/browser/screens' },
  fuzz: {
    run: (...words) => runScripts('fuzz', words),
    tools: true,
    help: '[name] run all scripts in scripts/fuzz, or only the named one'
  },
  bench: {
    run: async (name = 'all', ...words) => (await buildServerIfStale()) || runScripts('bench', [name, ...words]),
    tools: true,
    help: '[name] compare this server with others and print one table, or run only the named benchmark'
  },
  profile: {
    run: (...words) => runNode(['scripts/profile.ts', ...words]),
    tools: true,
    help: 'NAME run a benchmark against our server only, and print where the time went'
  },
  soak: { run: (...words) => runScripts('soak', words), tools: true, help: '[name] run all scripts in scripts/soak, or only the named one' }
}

class Failure extends Error {
  constructor(message, code = 1) {
    super(message)
    this.code = code
  }
}

const say = (text) => process.stderr.write(`agmd: ${text}\n`)

/** Path of the newest available Node. It is set when the packages are installed. */
let node = process.execPath
/** The processes that started this one, read before anything else: npm may be killed while packages are installed or pages are built. */
const startedBy = ancestors()

async function main([name = '', ...words]) {
  const major = Number(process.versions.node.split('.')[0])
  if (major < oldestNode) throw new Failure(`needs Node ${oldestNode} or newer, but this is ${process.version}. See https://nodejs.org.`)
  if (!Object.hasOwn(commands, name)) throw new Failure(usage(), exitUsage)
  const command = commands[name]
  await install(command.tools)
  node = findNode()
  return command.run(...words)
}

function usage() {
  const lines = Object.entries(commands).map(([name, { help }]) => `  npm run ${name.padEnd(12)} ${help}`)
  return ['usage: node scripts/launch.mjs COMMAND [WORD…]', ...lines].join('\n')
}

// --- Processes

/**
 * Runs a program in the project's folder. Resolves with its exit code, or with 128 + the number of the signal that killed it. With `onlyErrors`, its
 * standard output goes to standard error. Signals are forwarded once. A `service` runs until it is stopped, in a separate process group. Otherwise,
 * Ctrl-C in the terminal would also reach the service directly, and the service would treat the second signal as "stop immediately". The service also
 * has a channel to this process. It stops when the channel closes, because this process may be killed before it can forward a signal.
 */
async function run(program, words, { env = {}, service = false, output, onlyErrors = false } = {}) {
  const child = spawn(program, words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: output
      ? ['ignore', 'pipe', 'pipe']
      : ['inherit', onlyErrors ? process.stderr.fd : 'inherit', 'inherit', ...(service ? ['ipc'] : [])],
    detached: service && process.platform !== 'win32'
  })
  if (output) for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const stop = service ? stopOnce(child) : (signal) => child.kill(signal)
  const stopForwarding = forwardSignals(stop, service)
  const stopWatching = service ? watchNpm(() => stop('SIGTERM')) : () => {}
  try {
    return await ended(child, program)
  } finally {
    stopForwarding()
    stopWatching()
  }
}

/** Returns a function that sends a signal to a service. If the service has not ended some time after the first signal, the service is killed. */
function stopOnce(child) {
  let overdue
  child.once('exit', () => clearTimeout(overdue))
  return (signal) => {
    overdue ??= setTimeout(() => {
      say('the service did not stop in time and is killed; its next start recovers everything that it acknowledged.')
      child.kill('SIGKILL')
    }, stopMillisecondsMax)
    child.kill(signal)
  }
}

function ended(child, program) {
  return new Promise((resolveCode, reject) => {
    child.once('error', (error) => reject(new Failure(`cannot run ${program}: ${error.message}`, 127)))
    child.once('close', (code, signal) => resolveCode(code ?? 128 + constants.signals[signal]))
  })
}

/** Runs a program like `run`, but shows its output only if it fails. */
async function runQuietly(program, words, options) {
  const output = []
  const code = await run(program, words, { ...options, output })
  if (code !== 0) process.stderr.write(Buffer.concat(output))
  return code
}

/**
 * Calls `gone` when npm, which started this process, was killed and could not forward a signal. If this process was started directly, it may outlive
 * its parent, for example as a service in the background.
 */
function watchNpm(gone) {
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const timer = setInterval(() => {
    if (ancestors() === startedBy) return
    clearInterval(timer)
    gone()
  }, parentCheckMilliseconds)
  return () => clearInterval(timer)
}

/**
 * Returns the ids of the parent process and of the grandparent: npm starts a shell, which starts this process. Only on Linux can the grandparent be
 * found without starting another process.
 */
function ancestors() {
  const status = readIfThere(`/proc/${process.ppid}/status`) ?? ''
  return `${process.ppid} ${/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? ''}`
}

function forwardSignals(stop, service) {
  const lastAt = new Map()
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const listener = () => {
      const now = Date.now()
      const echo = now - (lastAt.get(signal) ?? 0) < echoMilliseconds
      lastAt.set(signal, now)
      // A child in the same process group has already received SIGINT from the terminal.
      if (!echo && (service || signal !== 'SIGINT' || !process.stdin.isTTY)) stop(signal)
    }
    process.on(signal, listener)
    return [signal, listener]
  })
  return () => listeners.forEach(([signal, listener]) => process.off(signal, listener))
}

const runNode = (words, options) => run(node, words, options)

/** Returns the path of a program in an installed package. */
const tool = (path) => inRoot('node_modules', ...path.split('/'))

// --- Installing

/**
 * Runs `npm ci` if the installed packages differ from those in package-lock.json. The hash of the installed lock file is stored next to the packages.
 * If the hash is missing because someone ran npm, npm's own record is compared instead. With `tools`, the development packages are included.
 */
async function install(tools) {
  const hash = sha256(readFileSync(inRoot('package-lock.json')))
  const accepted = tools ? [`${hash} all`] : [`${hash} all`, `${hash} production`]
  if (accepted.includes(readIfThere(inRoot('node_modules/.agmd-lock-hash')))) return
  if (!isInstalled(tools)) await npmCi(tools)
  writeIfAllowed(inRoot('node_modules/.agmd-lock-hash'), `${hash} ${isInstalled(true) ? 'all' : 'production'}`)
}

async function npmCi(tools) {
  say('installing packages (npm ci)…')
  const include = tools ? ['--include=dev'] : []
  const { code, output } = await npm(['ci', ...include])
  if (code === 0) return
  if (lacksOptionalPackages(output)) {
    const again = await npm(['install', '--no-save', ...include])
    if (again.code === 0 && isInstalled(tools)) return
  }
  process.stderr.write(output)
  const advice = 'Check the network and the disk, then run `npm ci` yourself and start again.'
  throw new Failure(`npm ci failed; its message is above. ${advice}`, code)
}

// A package can list binaries that were never published for some platforms. npm leaves these out when it writes the lock file, and then refuses the
// lock file because they are missing ("Missing: NAME@ from lock file", without a version). `npm install --no-save` installs the same locked versions.
function lacksOptionalPackages(output) {
  const faults = output.match(/(Missing|Invalid): .*/g) ?? []
  return faults.length > 0 && faults.every((fault) => /^Missing: \S+@ from lock file/.test(fault))
}

async function npm(words) {
  const output = []
  const script = process.env.npm_execpath ?? ''
  const code = basename(script).startsWith('npm-cli')
    ? await run(process.execPath, [script, ...words], { output })
    : await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', words, { output })
  return { code, output: Buffer.concat(output).toString() }
}

/** Whether npm's record of node_modules contains every package in the lock file, with the same version, except optional packages. */
function isInstalled(tools) {
  const text = readIfThere(inRoot('node_modules/.package-lock.json'))
  if (text === undefined) return false
  const installed = JSON.parse(text).packages ?? {}
  const wanted = Object.entries(JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages)
  const needed = ([path, entry]) => path !== '' && !entry.optional && !entry.devOptional && (tools || !entry.dev)
  return wanted.filter(needed).every(([path, entry]) => installed[path]?.version === entry.version)
}

/**
 * Returns the path of Node 24. The npm package `node` provides it on most platforms. On other platforms, and with --ignore-scripts, the user's own
 * Node is used.
 */
function findNode() {
  const packaged = tool(process.platform === 'win32' ? 'node/bin/node.exe' : 'node/bin/node')
  const found = [packaged, process.execPath].find((path) => majorOf(path) >= runtimeNode)
  if (found) return found
  throw new Failure(
    `needs Node ${runtimeNode} to run, and the npm package "node" did not bring it (was npm told to ignore scripts or optional packages?).\n` +
      `  Either: npm ci --include=optional --ignore-scripts=false\n` +
      `  or:     install Node ${runtimeNode} from https://nodejs.org and use it (this is ${process.version}).`
  )
}

function majorOf(path) {
  if (path === process.execPath) return Number(process.versions.node.split('.')[0])
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 ? Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0) : 0
}

// --- Starting

async function start(...words) {
  const code = (await buildIfStale()) || (await buildServerIfStale())
  if (code !== 0) return code
  const settings = existsSync(inRoot('.env')) ? ['--env-file=.env'] : []
  return runNode([...settings, 'dist/server/main.js', ...words], { service: true })
}

/**
 * Builds first if there is no build, because the server needs the last build for published pages and account pages. `.env` applies only to
 * `npm start`: its port and data folder are not meant for development.
 */
async function dev(...words) {
  const code = existsSync(inRoot('dist/web/index.html')) ? 0 : await buildIfStale()
  return code === 0 ? runNode(['scripts/dev.ts', ...words], { service: true }) : code
}

async function build() {
  return (await buildPages()) || (await buildServer())
}

async function buildPages() {
  const hash = builtHash('web', 'cli', 'shared')
  rmSync(inRoot('dist/.build-hash'), { force: true })
  for (const part of ['web', 'web/first', 'cli']) {
    const code = await buildPart(part, `${part}/vite.config.ts`)
    if (code !== 0) return code
  }
  mkdirSync(inRoot('dist'), { recursive: true })
  writeFileSync(inRoot('dist/.build-hash'), hash)
  return 0
}

/** Builds the server into a few files. Tests and `npm run dev` run its sources. */
async function buildServer() {
  const hash = builtHash('server', 'shared')
  const code = await buildPart('server', 'scripts/server.vite.config.ts')
  if (code === 0) writeFileSync(inRoot('dist/server/.build-hash'), hash)
  return code
}

/** Builds a part. Standard output is reserved for the command that follows, for example for a backup that is piped elsewhere. */
async function buildPart(part, config) {
  const code = await runNode([tool('vite/bin/vite.js'), 'build', '--config', config], { onlyErrors: true })
  if (code !== 0) say(`the build of ${part} failed; its message is above.`)
  return code
}

async function buildIfStale() {
  const fresh =
    existsSync(inRoot('dist/web/index.html')) &&
    existsSync(inRoot('dist/agmd')) &&
    readIfThere(inRoot('dist/.build-hash')) === builtHash('web', 'cli', 'shared')
  if (fresh) return 0
  say('building the web pages and the client…')
  return buildPages()
}

async function buildServerIfStale() {
  const fresh =
    existsSync(inRoot('dist/server/main.js')) && readIfThere(inRoot('dist/server/.build-hash')) === builtHash('server', 'shared')
  if (fresh) return 0
  say('building the server…')
  return buildServer()
}

/** Returns a hash that changes when a source of a build changes: the packages, or a file in one of the folders. */
function builtHash(...folders) {
  const files = ['package.json', 'package-lock.json', ...folders.flatMap(filesBelow)]
  return sha256(files.map((path) => `${path} ${sha256(readFileSync(inRoot(path)))}`).join('\n'))
}

function filesBelow(folder) {
  if (!existsSync(inRoot(folder))) return []
  const entries = readdirSync(inRoot(folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => (entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
}

// --- Checking

const vitest = ['vitest/vitest.mjs', 'run']

// Several checkers examine the same types again, so one checker takes half of the CPU time and hardly longer.
const tsc = ['typescript/bin/tsc', '--noEmit', '--checkers', '1']

// The checks are run by path with our Node, because .bin is not in the PATH of callers that do not use npm.
const staticChecks = {
  format: ['oxfmt/bin/oxfmt', '--check', '.'],
  types: tsc,
  'types of the pages': [...tsc, '--project', 'web'],
  lint: ['oxlint/bin/oxlint', '--type-aware'],
  'dead code': ['knip/bin/knip.js'],
  'regular expressions': [inRoot('scripts/check-regexes.ts')]
}

async function check() {
  return withStaticChecks(unitTests())
}

async function test(...words) {
  await provideEngines()
  await providePostgres()
  await provideProxies()
  const chromium = await provideChromium()
  const built = await buildIfStale()
  if (built !== 0) return built
  if (words.length > 0) return runTool([...vitest, ...words], { env: chromium })
  const server = await buildServerIfStale()
  return server || withStaticChecks(runSuite(chromium))
}

/** Runs all tests, also those in `test/long-run.json`. `test/support/repeats.ts` determines how often they repeat their steps. */
function testAll(...words) {
  process.env.AGMD_TEST_ALL = '1'
  return test(...words)
}

/** Checks types. The pages have a separate configuration, because they run in a browser without the types of Node. */
async function types() {
  const everything = await runTool(staticChecks.types)
  return everything || runTool(staticChecks['types of the pages'])
}

/** Builds first if the build is stale, because some tests request files that it creates: the client to download and the styles of pages. */
async function unitTests(...words) {
  const built = await buildIfStale()
  return built || runTool([...vitest, '--project', 'fast', ...words])
}

async function browserTests(...words) {
  const env = await provideChromium()
  const built = await buildIfStale()
  return built || runTool([...vitest, '--project', 'browser', ...words], { env })
}

/** Takes screenshots. They are by-products of the tests that check how the pages look (test/browser/appearance.ts). */
async function screens(...words) {
  process.env.AGMD_TEST_SCREENS = '1'
  process.env.AGMD_TEST_ALL = '1'
  const files = words.length > 0 ? words : filesBelow('test/browser').filter((path) => path.endsWith('.test.ts') && takesPictures(path))
  return browserTests(...files)
}

const takesPictures = (path) => readFileSync(inRoot(path), 'utf8').includes("from './appearance.ts'")

const runTool = ([path, ...words], options) => runNode([tool(path), ...words], options)

/**
 * Runs the static checks one after another while the first tests run, because these tests often wait. The output of the checks follows that of the
 * tests. Resolves with the exit code of the tests, or with 1 if only a check failed.
 */
async function withStaticChecks(tests) {
  const [code, checks] = await Promise.all([tests, runStaticChecks()])
  for (const { name, output, seconds, failed } of checks) {
    if (failed) process.stderr.write(output)
    say(`${name}: ${failed ? 'FAILED' : 'ok'} (${seconds.toFixed(1)} s)`)
  }
  const faults = checks.filter(({ failed }) => failed).map(({ name }) => name)
  if (faults.length === 0) return code
  say(`failed static checks: ${faults.join(', ')} (see above).`)
  return code || 1
}

/** Runs all static checks, even after one fails, so that one run shows every fault. */
async function runStaticChecks() {
  const checks = []
  for (const [name, [path, ...rest]] of Object.entries(staticChecks)) {
    const started = Date.now()
    const output = []
    const code = await run(node, [isAbsolute(path) ? path : tool(path), ...rest], { output })
    checks.push({ name, output: Buffer.concat(output), seconds: (Date.now() - started) / 1000, failed: code !== 0 })
    // The check was stopped, and so were the tests.
    if (code > 128) break
  }
  return checks
}

/**
 * Runs all tests, or all but those of the long run. In continuous integration, a skipped test counts as a failure, because it would hide a missing
 * component.
 */
async function runSuite(env) {
  const report = inRoot('dist/test-report.json')
  rmSync(report, { force: true })
  const settings = { AGMD_TEST_BUILT: '1', ...(inContinuousIntegration && { AGMD_REQUIRE_ALL: '1' }) }
  const reporters = ['--reporter=json', `--outputFile.json=${report}`, '--reporter=default']
  const titles = process.env.AGMD_TEST_ALL === '1' ? '' : titlesOfShortRun()
  const code = await runTool([...vitest, ...reporters, '--testNamePattern', titles], { env: { ...env, ...settings } })
  if (code !== 0 || !inContinuousIntegration) return code
  const skipped = skippedTests(JSON.parse(readFileSync(report, 'utf8'))).filter((title) => new RegExp(titles).test(title))
  if (skipped.length === 0) return 0
  say(`${skipped.length} tests were skipped, which CI=true forbids:\n${skipped.map((title) => `  ${title}`).join('\n')}`)
  return 1
}

function skippedTests({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return tests.filter(({ status }) => !['passed', 'failed'].includes(status)).map(({ fullName }) => fullName)
}

/**
 * Returns a pattern of the titles that `npm test` runs: all but those in `test/long-run.json`, which has beginnings of titles. There, "…" stands for
 * any text.
 */
function titlesOfShortRun() {
  const escaped = (part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const titles = Object.values(JSON.parse(readFileSync(inRoot('test/long-run.json'), 'utf8'))).flat()
  return `^(?!.*(?:${titles.map((title) => title.split('…').map(escaped).join('.*')).join('|')}))`
}

// --- Chromium

const chromiumPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
]

/**
 * Returns the environment variable that tells the browser tests where Chromium is. If Chromium is missing, installs Debian's package where possible.
 */
async function provideChromium() {
  const given = process.env.AGMD_CHROMIUM
  if (given && !existsSync(given)) throw new Failure(`AGMD_CHROMIUM is ${given}, but there is no such file.`)
  const found = given || findChromium() || (await installChromium())
  if (found) await provideHeadlessShell()
  if (found) return { AGMD_CHROMIUM: found }
  const advice = 'no Chromium found: install it (Debian: `apt-get install chromium`) or set AGMD_CHROMIUM to its path.'
  if (inContinuousIntegration) throw new Failure(advice)
  say(`${advice} The browser tests are skipped.`)
  return {}
}

const findChromium = () => chromiumPaths.find((path) => existsSync(path))

async function installChromium() {
  await installPackages(['chromium'])
  return findChromium()
}

/**
 * Installs Debian's headless Chromium where possible. Most browser tests run in it and take a third less time. Without it, they run in the full
 * browser.
 */
async function provideHeadlessShell() {
  if (existsSync('/usr/bin/chromium') && !existsSync('/usr/bin/chromium-headless-shell')) await installPackages(['chromium-headless-shell'])
}

/** Installs Debian packages if this user has the permission. */
async function installPackages(names) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say(`installing ${names.join(' ')} (apt-get)…`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const updated = await runQuietly('apt-get', ['update', '-qq'], { env })
  if (updated === 0) await runQuietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { env })
}

// --- Engines for media jobs

/** Programs that a compute node uses, with the Debian packages that contain them. */
const engines = {
  tesseract: ['tesseract-ocr', 'tesseract-ocr-eng'],
  flite: ['flite'],
  'espeak-ng': ['espeak-ng'],
  pocketsphinx_continuous: ['pocketsphinx', 'pocketsphinx-en-us'],
  sox: ['sox']
}

/** Where possible, installs missing engines for the media job tests. */
async function provideEngines() {
  const missing = () => Object.keys(engines).filter((name) => !isOnPath(name))
  if (missing().length > 0) await installPackages(missing().flatMap((name) => engines[name]))
  const left = missing()
  if (left.length === 0) return
  const advice = `not found: ${left.join(', ')} (Debian: \`apt-get install ${left.flatMap((name) => engines[name]).join(' ')}\`).`
  if (inContinuousIntegration) throw new Failure(advice)
  say(`${advice} The tests of media jobs that need them are skipped.`)
}

// --- PostgreSQL

/** Whether the programs of a PostgreSQL server are installed. Debian does not put them in the PATH. The tests look in the same places. */
function hasPostgres() {
  const below = '/usr/lib/postgresql'
  const versions = existsSync(below) ? readdirSync(below) : []
  return isOnPath('initdb') || versions.some((version) => existsSync(join(below, version, 'bin', 'initdb')))
}

/** If PostgreSQL is missing, installs it where possible. The tests of the PostgreSQL store start a separate server. */
async function providePostgres() {
  if (!hasPostgres()) await installPackages(['postgresql'])
  if (hasPostgres()) return
  const advice = 'no PostgreSQL found (Debian: `apt-get install postgresql`).'
  if (inContinuousIntegration) throw new Failure(advice)
  say(`${advice} The tests of that store are skipped.`)
}

// --- Reverse proxies

/** The proxies that have an example in `deploy/` and a Debian package. */
const proxies = { '/usr/sbin/nginx': 'nginx-light', '/usr/bin/caddy': 'caddy' }

/** If the reverse proxies are missing, installs them where possible. The tests run them with the examples in `deploy/`. */
async function provideProxies() {
  const missing = () => Object.keys(proxies).filter((path) => !existsSync(path))
  if (missing().length > 0) await installPackages(missing().map((path) => proxies[path]))
  const left = missing().map((path) => proxies[path])
  if (left.length === 0) return
  const advice = `not found: ${left.join(', ')} (Debian: \`apt-get install ${left.join(' ')}\`).`
  if (inContinuousIntegration) throw new Failure(advice)
  say(`${advice} The tests of the proxy examples are skipped.`)
}

const isOnPath = (name) => (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)))

// --- Scripts

/** Runs the script that the first argument names, and passes the other arguments to it. Without arguments, runs all scripts in the folder in turn. */
async function runScripts(folder, [wanted, ...words]) {
  const names = existsSync(inRoot('scripts', folder)) ? readdirSync(inRoot('scripts', folder)).filter((name) => name.endsWith('.ts')) : []
  const known = names.map((name) => basename(name, '.ts')).sort()
  if (wanted && !known.includes(wanted))
    throw new Failure(`no ${folder} called ${wanted}. There are: ${known.join(', ') || 'none yet'}.`, exitUsage)
  const built = await buildIfStale()
  if (built !== 0) return built
  let worst = 0
  for (const name of wanted ? [wanted] : known) {
    const code = await runNode([`scripts/${folder}/${name}.ts`, ...words])
    if (code > 128) return code
    worst ||= code
  }
  return worst
}

// --- Files

function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

// In a read-only installation (an image or a package) the hash cannot be stored, so the packages are compared again at each start.
function writeIfAllowed(path, text) {
  try {
    writeFileSync(path, text)
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes(error.code)) throw error
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  say(error.message)
  process.exitCode = error.code
}
