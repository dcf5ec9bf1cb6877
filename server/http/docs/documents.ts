/** The documents that `/docs` serves, in the order of the index. Each one is a file in the folder `docs/`. */

export interface DocumentEntry {
  /** The last part of the address, which is also the file name without `.md`. */
  readonly slug: string
  readonly title: string
  readonly summary: string
}

export interface Audience {
  readonly title: string
  readonly documents: readonly DocumentEntry[]
}

export const audiences: readonly Audience[] = [
  {
    title: 'Everyone',
    documents: [{ slug: 'start', title: 'Five minutes with agmd', summary: 'Write, share, review, and invite an agent.' }]
  },
  {
    title: 'Writers',
    documents: [
      { slug: 'writers', title: 'Guide for writers', summary: 'Formatting, tables, review, history, publishing, working offline.' },
      { slug: 'components', title: 'Components', summary: 'Boards, chats, sheets, charts and widgets in the text.' }
    ]
  },
  {
    title: 'Agents and programs',
    documents: [
      { slug: 'agents', title: 'Guide for agents and programs', summary: 'Where to begin, and good manners.' },
      { slug: 'mcp', title: 'MCP', summary: 'Tools, resources and prompts, and the options of the address.' },
      { slug: 'api', title: 'HTTP interface', summary: 'Credentials, errors, operations, events, limits.' }
    ]
  },
  {
    title: 'Operators',
    documents: [
      { slug: 'install', title: 'Installing a server', summary: 'Containers, systemd, and reverse proxies.' },
      {
        slug: 'operations',
        title: 'Running a server',
        summary: 'Settings, backup, probes, metrics, accounts, and what to do when something fails.'
      },
      { slug: 'storage', title: 'Storage', summary: 'The data folder, PostgreSQL, and buckets for assets.' },
      { slug: 'scaling', title: 'Scaling', summary: 'How far one machine, several nodes and one database reach, and what breaks first.' },
      { slug: 'export', title: 'The format of an export', summary: 'The files and fields of an export, for programs that read it.' },
      { slug: 'media', title: 'Media jobs and compute nodes', summary: 'Engines, settings and trust.' }
    ]
  },
  {
    title: 'Developers',
    documents: [
      { slug: 'protocol', title: 'The live protocol', summary: 'Frames, messages and close codes of the socket, for other clients.' },
      { slug: 'glossary', title: 'Glossary', summary: 'One noun for each concept.' }
    ]
  }
]

export const documentEntries: readonly DocumentEntry[] = audiences.flatMap(({ documents }) => documents)
