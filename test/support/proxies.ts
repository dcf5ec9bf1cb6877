/**
 * Reverse proxies from Debian's packages, run with the examples in `deploy/`. Only addresses, ports and certificates are replaced. The line for HSTS is
 * enabled, and with two servers also the lines for several nodes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './world.ts'

const deploy = join(import.meta.dirname, '..', '..', 'deploy')

export type ProxyName = 'nginx' | 'caddy'

const programs: Readonly<Record<ProxyName, string>> = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' }

/** Why the tests cannot run a proxy, or undefined if it is installed. */
export const noProxy = (name: ProxyName): string | undefined =>
  existsSync(programs[name]) ? undefined : `${programs[name]} is missing (Debian: apt-get install nginx-light caddy).`

export interface Proxy {
  stop(): Promise<void>
}

/** Returns the text with each part replaced. Throws if a part does not occur, because the example has then changed. */
const replaced = (text: string, parts: Readonly<Record<string, string>>): string =>
  Object.entries(parts).reduce((all, [part, by]) => {
    if (!all.includes(part)) throw new Error(`the example has no "${part}"`)
    return all.replaceAll(part, by)
  }, text)

const certificate = async (folder: string): Promise<void> => {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=docs.example.org', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...files])
}

/** The rest of the main configuration, in which the example is included. */
const nginxMain = (folder: string, site: string): string => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  include ${site};
}`

/** The address that the proxy serves, and the addresses of the servers behind it, each as HOST:PORT. Two servers are nodes. */
export interface Between {
  readonly address: string
  readonly servers: readonly [string] | readonly [string, string]
}

/** Returns a part of an example with the disabled directives of some lines enabled. */
const enabled = (text: string, names: readonly string[]): string =>
  names.reduce((all, name) => replaced(all, { [`# ${name}`]: name }), text)

const prepare: Readonly<Record<ProxyName, (folder: string, between: Between) => Promise<readonly string[]>>> = {
  async nginx(folder, { address, servers: [first, second] }) {
    await certificate(folder)
    const example = replaced(await readFile(join(deploy, 'nginx.conf'), 'utf8'), {
      '/etc/ssl/docs.example.org': folder,
      '# add_header Strict': 'add_header Strict'
    })
    const port = address.split(':')[1] ?? ''
    // The configuration with TLS must at least be valid. The tests then use the same configuration without TLS.
    await writeFile(join(folder, 'tls.conf'), nginxMain(folder, join(folder, 'tls-site.conf')))
    await writeFile(
      join(folder, 'tls-site.conf'),
      replaced(example, { 'listen 80;': `listen ${address};`, 'listen 443': `listen 127.0.0.2:${port}` })
    )
    await promisify(execFile)(programs.nginx, ['-t', '-c', join(folder, 'tls.conf')])
    const plain = example
      .replace(/server \{\s+listen 80;[^}]*\}/, '')
      .replaceAll(/^ *ssl_.*\n/gm, '')
      .replace('listen 443 ssl http2;', `listen ${address} default_server;`)
      .replace('server 127.0.0.1:8080 ', `server ${first} `)
    const site = second === undefined ? plain : enabled(plain, ['hash ', 'server ']).replace('127.0.0.1:8081', second)
    await writeFile(join(folder, 'site.conf'), site)
    await writeFile(join(folder, 'nginx.conf'), nginxMain(folder, join(folder, 'site.conf')))
    return ['-c', join(folder, 'nginx.conf')]
  },
  async caddy(folder, { address, servers }) {
    const global = `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n`
    const example = await readFile(join(deploy, servers.length === 1 ? 'Caddyfile' : 'nodes/Caddyfile'), 'utf8')
    // The example for several nodes has its addresses in the environment.
    const single = { '\ndocs.example.org {': `\nhttp://${address} {`, '127.0.0.1:8080': servers[0], '# header Strict': 'header Strict' }
    await writeFile(join(folder, 'Caddyfile'), `${global}${servers.length === 1 ? replaced(example, single) : example}`)
    return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  }
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })

/** Starts a proxy and resolves when it answers. Throws with its output if it ends. */
export const startProxy = async (name: ProxyName, between: Between): Promise<Proxy> => {
  const folder = await mkdtemp(join(tmpdir(), `agmd-${name}-`))
  const words = await prepare[name](folder, between)
  await mkdir(join(folder, 'home'), { recursive: true })
  const child = spawn(programs[name], words, {
    env: {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      AGMD_SITE: `http://${between.address}`,
      AGMD_NODES: between.servers.join(' ')
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`)
    return fetch(`http://${between.address}/livez`).then(
      ({ ok }) => ok,
      () => false
    )
  }, `an answer through ${name}`)
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended(child)
      await rm(folder, { recursive: true, force: true })
    }
  }
}
