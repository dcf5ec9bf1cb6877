import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError, configTable, readConfig } from '../server/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'agmd-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (env: Record<string, string>) => readConfig(env, { isTty: false }).config
const secret = 's3cret-'.repeat(6)

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function failure(env: Record<string, string>): string {
  try {
    read(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('readConfig accepted it')
}

test('[CONFIG-1] an empty environment gives a working server on localhost, without warnings', () => {
  expect(readConfig({}, { isTty: false })).toEqual({
    config: {
      port: 8080,
      host: '127.0.0.1',
      dataDir: resolve('data'),
      storage: null,
      blobs: null,
      baseUrl: 'http://localhost:8080',
      trustProxy: 0,
      logLevel: 'info',
      logFormat: 'json',
      secret: null,
      rateLimits: true,
      socketsPerAddress: 400,
      socketsPerDocument: 1000,
      anonymousCreate: true,
      publishing: 'everybody',
      searchEngines: true,
      requireVersion: false,
      securityContact: null,
      mcpPrefix: 'svc',
      signUp: 'open',
      authUrl: null,
      authClientId: null,
      authClientSecret: null,
      agentIssuer: null,
      agentClientId: null,
      agentClientSecret: null,
      assetMegabytes: 200,
      documentMegabytes: 256,
      accountMegabytes: 10_240,
      anonymousMegabytes: 1024,
      nodeAccounts: [],
      admins: [],
      auditDays: 365,
      historyDays: 0,
      historyRevisions: 0,
      foreignMedia: true,
      clientDocuments: true,
      processes: 1,
      idleUnloadSeconds: 60,
      backup: null,
      metricsToken: null,
      metricsAddresses: [],
      otlpEndpoint: null,
      otlpHeaders: null,
      traceServiceName: 'agmd',
      traceRatio: 1
    },
    warnings: []
  })
})

test('[CONFIG-2] every variable is read, and an empty one counts as not set', () => {
  const env = {
    AGMD_PORT: '9000',
    AGMD_HOST: '::1',
    AGMD_TRUST_PROXY: '2',
    AGMD_LOG_LEVEL: 'debug',
    AGMD_RATE_LIMITS: 'off',
    AGMD_SECRET: secret
  }
  expect(read(env)).toMatchObject({ port: 9000, host: '::1', trustProxy: 2, logLevel: 'debug', rateLimits: false, secret })
  expect(
    read({ AGMD_DATA_DIR: '/srv/agmd', AGMD_ANONYMOUS_CREATE: 'off', AGMD_IDLE_UNLOAD_SECONDS: '0', AGMD_LOG_FORMAT: 'pretty' })
  ).toMatchObject({
    dataDir: '/srv/agmd',
    anonymousCreate: false,
    idleUnloadSeconds: 0,
    logFormat: 'pretty'
  })
  expect(read({ AGMD_METRICS_ADDRESSES: '10.0.0.0/8, ::1' }).metricsAddresses).toEqual([
    { address: '10.0.0.0', bits: 8 },
    { address: '::1', bits: 128 }
  ])
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.org/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi,x-a = b=c',
      OTEL_SERVICE_NAME: 'the docs',
      OTEL_TRACES_SAMPLER_ARG: '0.25'
    })
  ).toMatchObject({
    otlpEndpoint: 'https://otlp.example.org/otlp',
    otlpHeaders: { Authorization: 'Basic YTpi', 'x-a': 'b=c' },
    traceServiceName: 'the docs',
    traceRatio: 0.25
  })
  expect(read(Object.fromEntries(Object.values(configTable).map(({ name }) => [name, ''])))).toEqual(read({}))
})

const bad: readonly (readonly [string, string])[] = [
  ...[' ', 'x', '-1', '65536', '80.5', '0x50', '8080 ', '１'].map((value) => ['AGMD_PORT', value] as const),
  ...['a b', 'localhost:80', 'http://x', '*'].map((value) => ['AGMD_HOST', value] as const),
  ['AGMD_DATA_DIR', 'a\0b'],
  ['AGMD_TRUST_PROXY', 'true'],
  ['AGMD_TRUST_PROXY', '17'],
  ['AGMD_LOG_LEVEL', 'INFO'],
  ['AGMD_LOG_FORMAT', 'text'],
  ['AGMD_RATE_LIMITS', 'true'],
  ['AGMD_ANONYMOUS_CREATE', '0'],
  ['AGMD_IDLE_UNLOAD_SECONDS', '86401'],
  ...['collector:4318', 'grpc://x', 'http://a:b@x', 'http://x/?a=1'].map((value) => ['OTEL_EXPORTER_OTLP_ENDPOINT', value] as const),
  ...['1.5', '-1', '.5', '10%', 'always'].map((value) => ['OTEL_TRACES_SAMPLER_ARG', value] as const),
  ...['localhost', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.1;10.0.0.2'].map((value) => ['AGMD_METRICS_ADDRESSES', value] as const)
]

test.each(bad)('[CONFIG-3] an invalid value is refused by name, with the given and the allowed values: %s=%j', (name, value) => {
  const { allowed } = Object.values(configTable).find((variable) => variable.name === name)!
  expect(failure({ [name]: value })).toBe(`${name} is ${JSON.stringify(value)}, but must be ${allowed}.`)
})

test('[CONFIG-4] the base URL is an http(s) origin; a trailing slash is removed', () => {
  expect(read({ AGMD_BASE_URL: 'https://docs.example.org/' }).baseUrl).toBe('https://docs.example.org')
  expect(read({ AGMD_BASE_URL: 'http://10.0.0.5:3000' }).baseUrl).toBe('http://10.0.0.5:3000')
  for (const url of [
    'docs.example.org',
    'ftp://x.org',
    'https://x.org/docs',
    'https://x.org/?a=1',
    'https://x.org/#a',
    'https://me:pw@x.org'
  ])
    expect(failure({ AGMD_BASE_URL: url })).toContain('AGMD_BASE_URL')
})

test('[CONFIG-5] without a base URL it is http://localhost with the port, known later when the port is 0', () => {
  expect(read({ AGMD_PORT: '9001' }).baseUrl).toBe('http://localhost:9001')
  expect(read({ AGMD_PORT: '0' }).baseUrl).toBeNull()
  expect(read({ AGMD_PORT: '0', AGMD_BASE_URL: 'https://x.org' }).baseUrl).toBe('https://x.org')
})

test('[CONFIG-6] logs are pretty on a terminal and JSON elsewhere, unless set', () => {
  expect(readConfig({}, { isTty: true }).config.logFormat).toBe('pretty')
  expect(readConfig({ AGMD_LOG_FORMAT: 'json' }, { isTty: true }).config.logFormat).toBe('json')
})

test('[CONFIG-7] a secret can be read from a file, without its last line break', () => {
  expect(read({ AGMD_SECRET_FILE: file('unix', `${secret}\n`) }).secret).toBe(secret)
  expect(read({ AGMD_SECRET_FILE: file('windows', `${secret}\r\n`) }).secret).toBe(secret)
  expect(read({ AGMD_SECRET_FILE: file('two', `${secret}\n\n`) }).secret).toBe(`${secret}\n`)
})

test('[CONFIG-8] a secret given twice, or in a file that is missing or empty, is refused', () => {
  expect(failure({ AGMD_SECRET: secret, AGMD_SECRET_FILE: file('both', secret) })).toContain('AGMD_SECRET and AGMD_SECRET_FILE')
  expect(failure({ AGMD_SECRET_FILE: join(folder, 'none') })).toMatch(/AGMD_SECRET_FILE.*none.*ENOENT/)
  expect(failure({ AGMD_SECRET_FILE: file('empty', '\n') })).toMatch(/AGMD_SECRET_FILE.*empty/)
})

test('[CONFIG-9] a secret never appears in a message', () => {
  expect(failure({ AGMD_SECRET: 'hunter2' })).toBe('AGMD_SECRET is a secret of 7 characters, but must be at least 32 characters.')
  expect(failure({ AGMD_SECRET_FILE: file('short', 'hunter2') })).not.toContain('hunter2')
})

test('[CONFIG-10] an unknown variable causes a warning; those of the tooling do not', () => {
  const env = {
    AGMD_PROT: '1',
    AGMD_PORT_FILE: '/x',
    AGMD_CHROMIUM: '/x',
    AGMD_REQUIRE_ALL: '1',
    AGMD_TEST_SEED: '1',
    AGMD_BENCH_SECONDS: '1',
    PATH: '/'
  }
  expect(readConfig(env, { isTty: false }).warnings).toEqual([
    'AGMD_PORT_FILE is not a setting of agmd and is ignored.',
    'AGMD_PROT is not a setting of agmd and is ignored. Did you mean AGMD_PORT?'
  ])
})

// `npx vitest run test/config.test.ts -u` writes the file.
test('[CONFIG-11] .env.example lists every variable, commented out, with its default', async () => {
  const blocks = Object.values(configTable).map((variable) => {
    const orFile = variable.secret ? ` Or ${variable.name}_FILE: a file that holds it.` : ''
    return `# ${variable.docs}${orFile}\n# Must be ${variable.allowed}.\n#${variable.name}=${variable.default ?? ''}\n`
  })
  const head = '# Settings of agmd, each at its default. Copy to .env: `npm start` reads it.\n'
  await expect([head, ...blocks].join('\n')).toMatchFileSnapshot('../.env.example')
})
