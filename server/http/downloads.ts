/** The command-line client as a download, with its checksum and the script that installs it (docs/api.md, Discovery). */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ServiceError } from '../../shared/errors.ts'
import type { Context } from './context.ts'
import { namesTag } from './etag.ts'
import type { Routers } from './routers.ts'

/** The client that this service offers for download. */
export interface Download {
  readonly bytes: Buffer
  /** SHA-256, in hexadecimal digits. */
  readonly checksum: string
}

const homePlaceholder = '__AGMD_HOME__'

/**
 * Reads the built client and writes the service's address into it, so that the client needs no settings. Returns undefined if the client was not
 * built.
 */
export const readDownload = async (file: string, baseUrl: string): Promise<Download | undefined> => {
  const built = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (built === undefined) return undefined
  const bytes = Buffer.from(built.replace(homePlaceholder, () => baseUrl))
  return { bytes, checksum: createHash('sha256').update(bytes).digest('hex') }
}

/** Quotes a word for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Whether somebody could tamper with downloads from this address, because it uses plain http and is not on this machine. */
const isPlain = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

const plainWarning = `  printf 'agmd: The connection to %s is not encrypted, so others could have changed this program and its checksum.\\n' "$base" >&2
  printf 'agmd: agmd connects to it only if you allow that: agmd --insecure-http …\\n' >&2
`

/**
 * Returns the installer, a POSIX sh script. All its code is in a function that only the last line calls, so a truncated script does nothing. It
 * computes the checksum with Node, which the client needs anyway.
 */
const installer = (baseUrl: string): string => `#!/bin/sh
# Installs agmd, the command-line client of ${baseUrl}, into ~/.local/bin (or AGMD_INSTALL_DIR). It changes nothing else and needs no special permissions.
set -eu

fail() {
  printf 'agmd: %s\\n' "$1" >&2
  exit 1
}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL "$1" -o "$2"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail 'curl or wget is needed.'
  fi
}

main() {
  base=${quoted(baseUrl)}
${isPlain(baseUrl) ? plainWarning : ''}  folder=\${AGMD_INSTALL_DIR:-"$HOME/.local/bin"}

  command -v node >/dev/null 2>&1 || fail 'Node 20.16 or newer is needed: https://nodejs.org'
  node -e 'process.exit(typeof process.getBuiltinModule === "function" ? 0 : 1)' ||
    fail "Node 20.16 or newer is needed, but this is $(node --version): https://nodejs.org"

  mkdir -p "$folder" || fail "$folder cannot be created; set AGMD_INSTALL_DIR to another folder."
  # In the same folder, so that the move is one step.
  part=$(mktemp "$folder/.agmd.XXXXXX") || fail "$folder is not writable; set AGMD_INSTALL_DIR to another folder."
  trap 'rm -f "$part" "$part.sum"' EXIT
  trap 'exit 130' INT TERM HUP

  fetch "$base/downloads/agmd" "$part" || fail "$base/downloads/agmd could not be fetched."
  fetch "$base/downloads/agmd/checksum" "$part.sum" || fail "$base/downloads/agmd/checksum could not be fetched."
  read -r wanted rest <"$part.sum" || fail 'The checksum is empty.'
  found=$(node -e 'process.stdout.write(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$part")
  [ "$found" = "$wanted" ] || fail 'The download does not match its checksum. Nothing was installed.'

  chmod 755 "$part"
  mv -f "$part" "$folder/agmd"
  printf 'Installed %s (%s)\\n' "$folder/agmd" "$("$folder/agmd" --version)"

  case ":$PATH:" in
    *":$folder:"*) printf 'To start: agmd --help\\n' ;;
    *) printf 'It is not on your PATH yet. Add this line to your shell profile:\\n  export PATH="%s:$PATH"\\n' "$folder" ;;
  esac
}

main "$@"
`

export const bindDownloads = (baseUrl: string, download: Download | undefined, routers: Routers): void => {
  const offered = (): Download => {
    if (download !== undefined) return download
    throw new ServiceError('not_found', { message: 'The client was not built.', hint: 'Ask the operator to run npm run build.' })
  }
  const answer = (ctx: Context, type: string, body: string | Buffer): void => {
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'no-cache')
    ctx.type = type
    ctx.body = body
  }
  const router = routers.of('/downloads')
  router.get('/downloads/agmd', (koa) => {
    const ctx = koa as unknown as Context
    const { bytes, checksum } = offered()
    ctx.set('ETag', `"${checksum}"`)
    ctx.set('Content-Disposition', 'attachment; filename="agmd"')
    if (namesTag(ctx, checksum)) ctx.status = 304
    else answer(ctx, 'application/octet-stream', bytes)
  })
  // The format is the output format of sha256sum.
  router.get('/downloads/agmd/checksum', (koa) =>
    answer(koa as unknown as Context, 'text/plain; charset=utf-8', `${offered().checksum}  agmd\n`)
  )
  routers.of('/install.sh').get('/install.sh', (koa) => {
    offered()
    answer(koa as unknown as Context, 'text/x-shellscript; charset=utf-8', installer(baseUrl))
  })
}
