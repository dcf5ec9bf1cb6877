/**
 * The commands of `agmd`. Parsing, help, completion, `agmd commands`, `/api/cli/commands` and `/cli.md` are derived from this table. A command that
 * makes one call of an operation takes its arguments from that operation. test/spec/cli.test.ts runs every example.
 */
import type { Operation } from '../operation.ts'
import { type OperationName, operations } from '../operations/index.ts'
import { type Command, commandOf, documentPositional, optionsFor, type Positional } from './command.ts'

const file = (summary: string): Positional => ({ name: 'FILE', summary, required: true })
const optionalTask = { optional: true }

const dryRun = { summary: 'show the changes without making them' }
const suggest = {
  name: 'suggest',
  type: 'boolean',
  summary: 'suggest the changes instead of making them; needs only the suggest role'
} as const
const merge = { name: 'merge', type: 'boolean', summary: 'if others changed the document too, merge both versions into the file' } as const
const keepMarks = {
  name: 'keep-marks',
  type: 'boolean',
  summary: 'push conflict markers in the file as text'
} as const
const targets = ['find', 'occurrence', 'prefix', 'suffix', 'line'] as const

/** Returns a command that has its own code. */
const own = (words: string, command: Omit<Command, 'words' | 'own'>): Command => ({ words, own: true, ...command })

const account: readonly Command[] = [
  own('login', {
    summary: 'Signs in to the service with a code that you approve in a browser.',
    operation: 'startDeviceLogin',
    positionals: [],
    options: [
      { name: 'browser', type: 'boolean', summary: 'with --no-browser, do not open a browser' },
      { name: 'name', type: 'string', summary: 'name of the session on the account page' },
      { name: 'with-token', type: 'boolean', summary: 'read a token from standard input instead of opening a browser' }
    ],
    examples: ['agmd login --no-browser', 'printf "%s" "$TOKEN" | agmd login --with-token']
  }),
  own('logout', {
    summary: 'Ends the session on this machine and on the service.',
    operation: 'revokeSession',
    positionals: [],
    options: [],
    examples: ['agmd logout']
  }),
  commandOf('readMe', { examples: ['agmd auth status', 'agmd auth status --json'] }),
  commandOf('listSessions', { examples: ['agmd auth sessions'] }),
  commandOf('revokeSession', { examples: ['agmd auth revoke "$SESSION" --yes'], destroys: true }),
  commandOf('revokeSessions', { examples: ['agmd auth revoke-all --yes'], destroys: true }),
  commandOf('createToken', {
    examples: [
      'agmd token create --name review-bot --role suggest --docs "$DOC" --days 30',
      'agmd token create --name backup --role view --json'
    ],
    tellsLink: true
  }),
  commandOf('listTokens', { examples: ['agmd token list'] }),
  commandOf('revokeToken', { examples: ['agmd token revoke "$TOKEN_ID" --yes'], destroys: true })
]

const documents: readonly Command[] = [
  commandOf('createDocument', {
    own: true,
    description:
      'The text comes from FILE, which is linked to the document. Prints the link. Unless you are signed in, anyone with the link owns the document.',
    positionals: {},
    without: ['content', 'kind'],
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'Markdown of the document; - is standard input' }, keepMarks],
    examples: ['agmd docs create --title Notes', 'agmd docs create -f draft.md', 'echo "# Hello" | agmd docs create -f - --json'],
    tellsLink: true
  }),
  commandOf('readContent', {
    own: true,
    summary: 'Writes a document to a file and remembers its version for the next push.',
    description: 'Does not overwrite changes in the file: --merge merges both versions, --force replaces the file.',
    without: ['section', 'lines', 'since', 'version'],
    options: [
      { name: 'output', short: 'o', type: 'string', summary: 'the file; - is standard output' },
      merge,
      { name: 'force', type: 'boolean', summary: 'replace the file and discard its changes' }
    ],
    examples: ['agmd docs pull "$URL" -o notes.md', 'agmd docs pull notes.md', 'agmd docs pull notes.md --merge']
  }),
  commandOf('replaceContent', {
    own: true,
    summary: 'Replaces a document with a file, if nobody has changed the document since the pull.',
    description:
      'If somebody has changed the document, the command writes nothing and exits with code 5. --merge merges and pushes changes in different places. ' +
      'If you and others changed the same text, the file gets both versions between conflict markers: resolve them and push again.',
    without: ['content', 'mode', 'onConflict', 'dryRun', 'baseVersion', 'label'],
    options: [
      { name: 'file', short: 'f', type: 'string', summary: 'the file, if DOC is not a pulled file' },
      ...optionsFor('replaceContent', {
        label: { short: 'l' },
        baseVersion: { summary: 'the version that the file is based on, if you did not pull it' },
        dryRun
      }),
      merge,
      suggest,
      { name: 'force', type: 'boolean', summary: 'replace the document even if others changed it' },
      keepMarks
    ],
    examples: [
      'agmd docs push notes.md',
      'agmd docs push "$URL" -f notes.md --label "second draft"',
      'agmd docs push notes.md --merge --dry-run'
    ]
  }),
  own('docs status', {
    summary: 'Shows whether a file and its document have changed since the pull.',
    operation: 'readContent',
    positionals: [file('a pulled file')],
    options: [],
    examples: ['agmd docs status notes.md']
  }),
  commandOf('readDiff', {
    own: true,
    summary: 'Compares a file with its document, or two versions with each other.',
    options: [
      { name: 'file', short: 'f', type: 'string', summary: 'the file, if DOC is not a pulled file' },
      { name: 'exit-code', type: 'boolean', summary: 'exit with 1 if there are differences' }
    ],
    fields: {
      from: { required: false, summary: 'an earlier version, instead of a file' },
      to: { summary: 'a later version; defaults to the current version' }
    },
    examples: ['agmd docs diff notes.md', 'agmd docs diff "$URL" -f notes.md', 'agmd docs diff "$URL" --from "$VERSION"']
  }),
  own('docs cat', {
    summary: 'Prints a document or a part of it.',
    operation: 'readContent',
    positionals: [documentPositional],
    options: optionsFor('readContent', { section: { short: 's' }, lines: {}, since: {}, version: {} }),
    examples: [
      'agmd docs cat "$URL"',
      'agmd docs cat "$URL" --section Notes',
      'agmd docs cat "$URL" --lines 1-3',
      'agmd docs cat "$URL" --since "$VERSION"'
    ]
  }),
  own('docs append', {
    summary: 'Appends Markdown to a document or to one of its sections.',
    operation: 'editContent',
    positionals: [documentPositional],
    options: [
      { name: 'text', type: 'string', summary: 'the Markdown', text: true, required: true },
      { name: 'section', short: 's', type: 'string', summary: 'a heading: `Title`, `## Title`, or `Outer > Inner`' },
      ...optionsFor('editContent', { dryRun, label: { short: 'l' } }),
      suggest
    ],
    examples: ['agmd docs append "$URL" --text "- one more"', 'date | agmd docs append "$URL" --text-file - --section Notes']
  }),
  commandOf('editContent', {
    own: true,
    summary: 'Edits words, sections or lines of a document while others write elsewhere.',
    description:
      'Makes one edit with --find and either --with or --delete, or up to 100 edits with --operations (see /agents.md). Either all apply or none.',
    without: ['operations', 'mode', 'dryRun', 'label', 'baseVersion'],
    options: [
      ...optionsFor('createSuggestion', Object.fromEntries(targets.map((field) => [field, {}]))),
      { name: 'with', type: 'string', summary: 'the replacement', text: true },
      { name: 'delete', type: 'boolean', summary: 'delete the text' },
      { name: 'operations', type: 'json', summary: 'a list of operations', text: true },
      ...optionsFor('editContent', { baseVersion: {}, label: { short: 'l' }, dryRun }),
      suggest
    ],
    examples: [
      'agmd docs edit "$URL" --find "More words" --with "Better words"',
      'agmd docs edit "$URL" --operations \'[{"op":"append","markdown":"The end."}]\' --dry-run',
      'agmd docs edit "$URL" --operations \'[{"op":"replace_all","find":"words","with":"sentences"}]\' --dry-run'
    ]
  }),
  commandOf('searchDocument', {
    positionals: { q: 'WORDS' },
    examples: ['agmd docs search "$URL" "lazy dog"', 'agmd docs search "$URL" Fox --exact --json']
  }),
  commandOf('readOutline', { examples: ['agmd docs outline "$URL"'] }),
  commandOf('readAttribution', { examples: ['agmd docs blame "$URL"', 'agmd docs blame "$URL" --version "$VERSION" --json'] }),
  commandOf('readDocument', { examples: ['agmd docs info "$URL" --json'] }),
  commandOf('updateDocument', {
    positionals: { title: 'TITLE' },
    examples: ['agmd docs rename "$URL" "Minutes of May"', 'agmd docs rename "$URL" ""']
  }),
  own('docs open', {
    summary: 'Opens a document in the browser (or the program in BROWSER).',
    positionals: [documentPositional],
    options: [],
    examples: ['BROWSER=true agmd docs open "$URL"']
  }),
  own('docs watch', {
    summary: 'Keeps a file in sync with its document; with --two-way, in both directions.',
    description: 'Stops with exit code 5 if both sides changed the same text.',
    operation: 'listEvents',
    positionals: [file('a pulled file')],
    options: [{ name: 'two-way', type: 'boolean', summary: 'also push the changes in the file to the document' }],
    examples: ['agmd docs watch notes.md', 'agmd docs watch notes.md --two-way'],
    endless: true
  }),
  commandOf('searchDocuments', { positionals: { q: 'WORDS' }, examples: ['agmd search "lazy dog"', 'agmd search fox --limit 5 --json'] }),
  commandOf('listDocuments', { examples: ['agmd docs list', 'agmd docs list --query plan --json'] }),
  commandOf('claimDocument', { examples: ['agmd docs claim "$URL"'] }),
  commandOf('deleteDocument', { examples: ['agmd docs delete "$URL" --yes', 'agmd docs delete "$URL" --permanent --yes'], destroys: true })
]

const longText = { short: 'm', text: true } as const

const review: readonly Command[] = [
  commandOf('listComments', {
    fields: { author: { name: 'by' } },
    examples: ['agmd comments list "$URL"', 'agmd comments list "$URL" --status open --by Ana --json']
  }),
  commandOf('readComment', { examples: ['agmd comments show "$URL" "$COMMENT"'] }),
  commandOf('createComment', {
    fields: { body: longText },
    without: ['characters'],
    examples: ['agmd comments add "$URL" --find "First words" -m "Whose?"', 'agmd comments add "$URL" -m "Good." --author Ana']
  }),
  commandOf('replyToComment', { fields: { body: longText }, examples: ['agmd comments reply "$URL" "$COMMENT" -m "Mine."'] }),
  commandOf('resolveComment', {
    fields: { resolved: { summary: 'with --no-resolved, reopen the comment' } },
    examples: ['agmd comments resolve "$URL" "$COMMENT"', 'agmd comments resolve "$URL" "$COMMENT" --no-resolved']
  }),
  commandOf('editComment', { fields: { body: longText }, examples: ['agmd comments edit "$URL" "$COMMENT" -m "Whose words?"'] }),
  commandOf('deleteComment', { examples: ['agmd comments delete "$URL" "$COMMENT" --yes'], destroys: true }),
  commandOf('editReply', { fields: { body: longText }, examples: ['agmd replies edit "$URL" "$REPLY" -m "Hers."'] }),
  commandOf('deleteReply', { examples: ['agmd replies delete "$URL" "$REPLY" --yes'], destroys: true }),
  commandOf('listSuggestions', {
    fields: { author: { name: 'by' } },
    examples: ['agmd suggestions list "$URL"', 'agmd suggestions list "$URL" --status pending --json']
  }),
  commandOf('readSuggestion', { examples: ['agmd suggestions show "$URL" "$SUGGESTION" --json'] }),
  commandOf('createSuggestion', {
    positionals: { operation: 'OPERATION' },
    fields: { text: { text: true }, note: longText },
    examples: [
      'agmd suggestions add "$URL" replace --find "First words" --text "Opening words" -m "Livelier."',
      'agmd suggestions add "$URL" delete --line 3'
    ]
  }),
  commandOf('decideSuggestion', {
    positionals: { action: 'ACTION' },
    fields: { step: { summary: 'the step of the suggestion that you read; refused if the suggestion has changed since' } },
    examples: [
      'agmd suggestions decide "$URL" "$SUGGESTION" accept --dry-run',
      'agmd suggestions decide "$URL" "$SUGGESTION" reject --reason "The old words are clearer."'
    ]
  }),
  commandOf('decideSuggestions', {
    positionals: { action: 'ACTION' },
    without: ['decisions'],
    examples: ['agmd suggestions decide-all "$URL" reject --suggestion-ids "$SUGGESTION"']
  }),
  commandOf('replyToSuggestion', { fields: { body: longText }, examples: ['agmd suggestions reply "$URL" "$SUGGESTION" -m "Why?"'] })
]

const sharing: readonly Command[] = [
  commandOf('listShares', { examples: ['agmd share list "$URL"'] }),
  commandOf('readShare', { examples: ['agmd share show "$URL" "$SHARE"'] }),
  commandOf('createShare', {
    positionals: { role: 'ROLE' },
    examples: ['agmd share create "$URL" edit --label Ana', 'agmd share create "$URL" view --json'],
    tellsLink: true
  }),
  commandOf('changeShare', {
    positionals: { role: 'ROLE' },
    optional: true,
    examples: ['agmd share change "$URL" "$SHARE" comment', 'agmd share change "$URL" "$SHARE" --label Ana'],
    tellsLink: true
  }),
  commandOf('revokeShare', { examples: ['agmd share revoke "$URL" "$SHARE" --yes'], destroys: true }),
  commandOf('listRevisions', { examples: ['agmd revisions list "$URL" --limit 5'] }),
  commandOf('readRevision', { own: true, examples: ['agmd revisions show "$URL" 1'] }),
  commandOf('labelRevision', { positionals: { label: 'LABEL' }, examples: ['agmd revisions label "$URL" 1 "as it was sent"'] }),
  commandOf('restoreRevision', {
    own: true,
    positionals: { revision: 'REVISION' },
    fields: { label: { short: 'l' }, dryRun },
    examples: ['agmd revisions restore "$URL" 1 --dry-run', 'agmd revisions restore "$URL" 1']
  }),
  commandOf('publishDocument', { examples: ['agmd publish "$URL"', 'agmd publish "$URL" --no-published'] }),
  commandOf('listEvents', {
    own: true,
    options: [{ name: 'follow', type: 'boolean', summary: 'run until stopped' }],
    examples: ['agmd events "$URL" --since 0', 'agmd events "$URL" --types comment.created --json']
  }),
  {
    ...commandOf('readInbox', {
      own: true,
      examples: ['agmd inbox', 'agmd inbox "$URL" --author Ana --since 0', 'agmd inbox --wait 55 --json']
    }),
    positionals: [{ ...documentPositional, required: false }]
  },
  commandOf('uploadAsset', {
    own: true,
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'the picture, sound or video', required: true }],
    examples: ['agmd assets upload "$URL" -f picture.png --name "A picture"']
  })
]

const tasks: readonly Command[] = [
  commandOf('createTask', {
    own: true,
    fields: {
      requestId: { required: false, summary: 'your id for the request; by default derived from title and instructions' },
      instructions: longText
    },
    examples: ['agmd tasks create "$URL" --title "Check the tone" -m "Is it kind?"'],
    tellsLink: true
  }),
  commandOf('listTasks', { examples: ['agmd tasks list "$URL"'] }),
  commandOf('readTask', { ...optionalTask, examples: ['agmd tasks get "$TASK_URL"', 'agmd tasks get "$URL" "$TASK" --json'] }),
  commandOf('startTask', { ...optionalTask, examples: ['agmd tasks start "$TASK_URL" --author Ben'] }),
  commandOf('reportTask', {
    ...optionalTask,
    fields: { summary: longText },
    examples: ['agmd tasks report "$TASK_URL" --reviewed-version "$VERSION" -m "Kind enough." --author Ben']
  }),
  commandOf('closeTask', { ...optionalTask, examples: ['agmd tasks close "$URL" "$TASK"'] })
]

const noWait = { name: 'wait', type: 'boolean', summary: 'with --no-wait, only start the job and print its id' } as const
const withoutFile = ['wait', 'data', 'url'] as const

const media: readonly Command[] = [
  commandOf('readRelayStatus', { examples: ['agmd media status'] }),
  commandOf('startImage', {
    own: true,
    fields: { prompt: { short: 'm', text: true } },
    without: ['wait'],
    options: [noWait],
    examples: ['agmd media image "$URL" -m "A red boat at dawn" --width 512 --height 512']
  }),
  commandOf('startSpeech', {
    own: true,
    fields: { text: { short: 'm', text: true } },
    without: ['wait'],
    options: [noWait, { name: 'output', short: 'o', type: 'string', summary: 'a file for the audio' }],
    examples: ['agmd media speak "$URL" -m "Good morning" -o morning.wav', 'agmd media speak "$URL" -m "Good morning" --save']
  }),
  commandOf('startTranscription', {
    own: true,
    without: withoutFile,
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'the recording', required: true }, noWait],
    examples: ['agmd media transcribe "$URL" -f recording.wav --json']
  }),
  commandOf('startOcr', {
    own: true,
    without: withoutFile,
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'the picture', required: true }, noWait],
    examples: ['agmd media ocr "$URL" -f picture.png']
  }),
  own('media wait', {
    summary: 'Waits for a media job and prints its result.',
    positionals: [documentPositional, { name: 'JOB', summary: 'id of the job', required: true }],
    options: [
      { name: 'output', short: 'o', type: 'string', summary: 'a file for the audio' },
      { name: 'save', type: 'boolean', summary: 'save speech as an asset and print the Markdown that plays it' }
    ],
    examples: ['agmd media wait "$URL" "$JOB"']
  }),
  commandOf('cancelJob', { examples: ['agmd media cancel "$URL" "$JOB"'] }),
  commandOf('createNode', { examples: ['agmd node token --name "The machine under the desk"'], tellsLink: true }),
  commandOf('listNodes', { examples: ['agmd node list'] }),
  commandOf('revokeNode', { examples: ['agmd node revoke "$NODE" --yes'], destroys: true }),
  own('node', {
    summary: 'Runs media jobs for the service on this machine, with the installed engines.',
    description:
      'Set AGMD_NODE_TOKEN to the node’s token. The node connects to the service and opens no port. It uses tesseract, flite, espeak-ng, pocketsphinx, whisper.cpp ' +
      '(AGMD_NODE_WHISPER_MODEL) and any server with the OpenAI interface: AGMD_NODE_OPENAI_URL, _KEY, _KINDS (image, speech, transcription), ' +
      '_IMAGE_MODEL, _SPEECH_MODEL, _TRANSCRIPTION_MODEL.',
    positionals: [],
    options: [
      { name: 'slots', type: 'integer', summary: 'number of jobs to run at the same time, from 1 to 16; defaults to 1' },
      { name: 'check', type: 'boolean', summary: 'only list the engines' }
    ],
    examples: ['AGMD_NODE_TOKEN="$NODE_TOKEN" agmd node', 'AGMD_NODE_TOKEN="$NODE_TOKEN" agmd node --check'],
    endless: true
  })
]

const machine: readonly Command[] = [
  own('api', {
    summary: 'Sends any request to the service with your credentials.',
    positionals: [
      { name: 'METHOD', summary: 'GET, POST, PUT, PATCH or DELETE', required: true },
      { name: 'PATH', summary: 'a path of the service; agmd adds the key of a document that you used before', required: true }
    ],
    options: [
      {
        name: 'field',
        short: 'F',
        type: 'string',
        summary: 'NAME=VALUE for the JSON body, repeatable; VALUE may be JSON'
      },
      { name: 'body-file', type: 'string', summary: 'a file for the body; - is standard input' },
      { name: 'type', type: 'string', summary: 'media type of the body; defaults to application/json' }
    ],
    examples: ['agmd api GET /api/health', 'agmd api POST /new -F title=Notes -F content="# Notes"']
  }),
  own('mcp', {
    summary: 'Serves MCP on standard input and output, for clients that start their own servers.',
    description: 'Calls without a key use the key of DOC. Tool names have underscores instead of dots.',
    positionals: [{ ...documentPositional, required: false }],
    options: [],
    examples: ['echo \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\' | agmd mcp "$URL"']
  }),
  own('commands', {
    summary: 'Lists all commands; --json describes them in full.',
    positionals: [],
    options: [],
    examples: ['agmd commands', 'agmd commands --json']
  }),
  own('completion', {
    summary: 'Prints the completion script for a shell.',
    positionals: [{ name: 'SHELL', summary: 'bash, zsh or fish', required: true }],
    options: [],
    examples: ['agmd completion bash', 'agmd completion zsh', 'agmd completion fish']
  }),
  commandOf('readHealth', {
    own: true,
    summary: 'Checks this machine, the service and the session.',
    examples: ['agmd doctor', 'agmd doctor --json']
  }),
  own('upgrade', {
    summary: 'Updates this program to the version of the service, if the checksum matches.',
    positionals: [],
    options: [{ name: 'check', type: 'boolean', summary: 'only check for another version' }],
    examples: ['agmd upgrade --check', 'agmd upgrade']
  })
]

const written: readonly Command[] = [...account, ...documents, ...review, ...sharing, ...tasks, ...media, ...machine]

/** Commands that are derived entirely from their operations, which also contain the examples. */
const derived = (Object.entries(operations) as [OperationName, Operation][]).flatMap(([name, { cli, examples }]) =>
  cli === undefined || examples === undefined ? [] : [commandOf(name, { examples })]
)

const groupOf = ({ words }: Command): string => words.split(' ')[0] ?? ''

/** The commands in listing order. A derived command comes last in its group. */
export const commands: readonly Command[] = derived.reduce((all, command) => {
  const last = all.findLastIndex((each) => groupOf(each) === groupOf(command))
  return all.toSpliced(last === -1 ? all.length : last + 1, 0, command)
}, written)
