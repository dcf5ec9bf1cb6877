/** Serves the built web pages. Browsers cache hashed files permanently and revalidate all other files. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from './context.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8'
}

interface StaticFile {
  readonly type: string
  readonly etag: string
  readonly immutable: boolean
  readonly plain: Buffer
}

interface Packed {
  readonly br: Buffer
  readonly gzip: Buffer
}

const compressible = (type: string): boolean => !type.startsWith('image/png') && !type.startsWith('font/')

const readStatic = async (path: string, name: string): Promise<StaticFile> => {
  const plain = await readFile(path)
  const type = types[extname(path)] ?? 'application/octet-stream'
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type, etag, immutable: name.startsWith('/assets/'), plain }
}

/**
 * Files are compressed when they are first requested, because few documents need most of them (such as the scripts for diagrams). The cache is
 * keyed by content: a process that starts several servers, as tests do, compresses each file once.
 */
const packed = new Map<string, Promise<Packed>>()

const packedOnce = ({ etag, type, plain }: StaticFile): Promise<Packed> | undefined => {
  if (!compressible(type) || plain.length < 1024) return undefined
  const found = packed.get(etag) ?? pack(plain)
  packed.set(etag, found)
  return found
}

const pack = async (plain: Buffer): Promise<Packed> => {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, quality), promisify(gzip)(plain, { level: 9 })])
  return { br, gzip: gzipped }
}

export interface Files {
  /** The path of the built pages' stylesheet, for pages that are not built. Undefined if there is no build. */
  readonly stylesheet: string | undefined
  /** Sends the file at this path. Returns false if there is none. A response whose status is not 200 has no ETag. */
  serve(ctx: Context, path: string, status?: number): Promise<boolean>
  /** Returns the path of the file that was built from a source file below `web/`; undefined if there is none. */
  built(source: string): string | undefined
  /** Returns a built file as text; undefined if there is none. */
  text(path: string): string | undefined
  /**
   * Returns the paths of the scripts that were built from source files below `web/`, and the paths of their static imports. Each script comes after
   * its imports.
   */
  scripts(...sources: readonly string[]): readonly string[]
}

/** The entry of a file in the build manifest. */
interface Built {
  readonly file: string
  readonly imports?: readonly string[]
}

/** Returns scripts in an order in which each script comes after its imports. */
const scriptsOf = (manifest: Readonly<Record<string, Built>>, names: readonly string[]): readonly string[] => {
  const [found, seen] = [new Set<string>(), new Set<string>()]
  const visit = (name: string): void => {
    const built = manifest[name]
    if (built === undefined || seen.has(name)) return
    seen.add(name)
    for (const other of built.imports ?? []) visit(other)
    found.add(`/${built.file}`)
  }
  for (const name of names) visit(name)
  return [...found]
}

/** Reads the folder once, at startup, so no part of a request ever becomes a path on disk. */
export const readFiles = async (folder: string): Promise<Files> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, StaticFile>()
  for (const entry of found.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = `/${relative(folder, path).split(sep).join('/')}`
    files.set(name, await readStatic(path, name))
  }
  const manifest = JSON.parse(files.get('/.vite/manifest.json')?.plain.toString() ?? '{}') as Record<string, Built>
  // The manifest names every source file. Browsers do not need it.
  files.delete('/.vite/manifest.json')
  return {
    stylesheet: / href="(\/assets\/[^"\s]+\.css)"/.exec(files.get('/index.html')?.plain.toString() ?? '')?.[1],
    built: (source) => (manifest[source] === undefined ? undefined : `/${manifest[source].file}`),
    text: (path) => files.get(path)?.plain.toString(),
    scripts: (...sources) => scriptsOf(manifest, sources),
    async serve(ctx, path, status = 200) {
      const file = files.get(path)
      if (file === undefined) return false
      ctx.set('Cache-Control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
      // The frame that draws diagrams has no origin but loads scripts, so it needs this header. The scripts are public.
      if (file.immutable) ctx.set('Access-Control-Allow-Origin', '*')
      ctx.vary('Accept-Encoding')
      ctx.status = status
      if (status === 200) ctx.set('ETag', file.etag)
      if (status === 200 && ctx.fresh) {
        ctx.status = 304
        return true
      }
      const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity')
      const smaller = encoding === 'br' || encoding === 'gzip' ? (await packedOnce(file))?.[encoding] : undefined
      ctx.type = file.type
      if (smaller !== undefined) ctx.set('Content-Encoding', encoding as string)
      ctx.body = smaller ?? file.plain
      return true
    }
  }
}
