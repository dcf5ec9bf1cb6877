/**
 * Removes every package that the built server does not need: tools, libraries of the pages, and the Node that npm installed. The Dockerfile runs it
 * after the build. `node scripts/prune.ts FOLDER` prunes FOLDER/node_modules, which must have been installed from FOLDER/package-lock.json.
 */
import { existsSync, globSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const folder = process.argv[2]
if (folder === undefined || !existsSync(join(folder, 'package-lock.json'))) {
  process.stderr.write('Pass the folder of the installation: node scripts/prune.ts /app\n')
  process.exit(64)
}

const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, Entry>> }

/** Returns the name of the package that an import refers to, or undefined for files and Node modules. */
const packageOf = (specifier: string): string | undefined =>
  /^[./]|^node:/.test(specifier) ? undefined : /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]

/** Returns the packages that the server and the code it shares import. */
const imported = (): ReadonlySet<string> => {
  const names = globSync('{server,shared}/**/*.ts', { cwd: folder }).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:\bfrom |\bimport\()'([^']+)'/g)].map((found) => packageOf(found[1] ?? ''))
  )
  return new Set(names.filter((name) => name !== undefined))
}

/** Returns the folder of the package that Node would load from another folder: the one in the nearest enclosing `node_modules`. */
const resolve = (name: string, from: string): string | undefined => {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`
    if (packages[place] !== undefined) return place
    if (base === '') return undefined
  }
}

/** Returns the paths of these packages and of everything that they depend on. */
const closure = (names: Iterable<string>): ReadonlySet<string> => {
  const places = new Set<string>()
  const waiting = [...names].map((name) => resolve(name, ''))
  for (let place = waiting.pop(); place !== undefined || waiting.length > 0; place = waiting.pop()) {
    if (place === undefined || places.has(place)) continue
    places.add(place)
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) waiting.push(resolve(name, place))
  }
  return places
}

/** Returns the folders of all packages in a `node_modules` folder, without the packages nested in them. */
const installed = (modules: string): string[] =>
  readdirSync(join(folder, modules))
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, modules, name)).map((part) => `${modules}/${name}/${part}`) : [`${modules}/${name}`]
    )

/**
 * Matches files that the server never reads: documentation, types, and native code for C libraries and Node versions that the image does not contain.
 */
const unread = /\.(?:map|md|flow|d\.[cm]?ts)$|\.musl\.node$|node\.abi\d+\.glibc\.node$|highlight\.js\/(?:styles|scss|es|types)$/

const needed = closure(imported())
const removed = installed('node_modules').filter((place) => ![...needed].some((each) => each === place || each.startsWith(`${place}/`)))
for (const place of removed) rmSync(join(folder, place), { recursive: true })
for (const rest of ['.bin', '.cache', '.package-lock.json']) rmSync(join(folder, 'node_modules', rest), { recursive: true, force: true })
for (const file of globSync('node_modules/**/*', { cwd: folder }).filter((name) => unread.test(name)))
  rmSync(join(folder, file), { force: true, recursive: true })
process.stdout.write(`removed ${removed.length} packages, kept ${needed.size}\n`)
