/**
 * THE COMMANDS of `agmd`: parsing, help, completion, `agmd commands`, `/api/cli/commands` and `/cli.md` are derived from this table. Commands that
 * are one call of an operation take their arguments from it; every example is executed by test/spec/cli.test.ts.
 */
import { type Command, commandOf, documentPositional, optionsFor, type Positional } from './command.ts'

const file = (summary: string): Positional => ({ name: 'FILE', summary, required: true })
const optionalTask = { optional: true }

const dryRun = { summary: 'show what would change, and change nothing' }
const suggest = { name: 'suggest', type: 'boolean', summary: 'propose instead of writing; the suggest role is enough' } as const
const merge = { name: 'merge', type: 'boolean', summary: 'where others changed the document too, merge both into the file' } as const
const keepMarks = {
  name: 'keep-marks',
  type: 'boolean',
  summary: 'the marks of a merge in the file are meant to stand in the document'
} as const
const targets = ['find', 'occurrence', 'prefix', 'suffix', 'line'] as const

/** What is done on this machine, with the operation that it calls first. */
const own = (words: string, command: Omit<Command, 'words' | 'own'>): Command => ({ words, own: true, ...command })

const account: readonly Command[] = [
  own('login', {
    summary: 'Signs in to the service, by a code that is approved in a browser.',
    operation: 'startDeviceLogin',
    positionals: [],
    options: [
      { name: 'browser', type: 'boolean', summary: 'with --no-browser none is opened' },
      { name: 'name', type: 'string', summary: 'what the session is called on the account page' },
      { name: 'with-token', type: 'boolean', summary: 'read a token from the standard input instead' }
    ],
    examples: ['agmd login --no-browser', 'printf "%s" "$TOKEN" | agmd login --with-token']
  }),
  own('logout', {
    summary: 'Ends the session, here and at the service.',
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
      'A FILE becomes the text, and is connected with the document. Prints the link: whoever holds it owns the document, unless you are signed in.',
    positionals: {},
    without: ['content', 'kind'],
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'Markdown of the document; - is the standard input' }, keepMarks],
    examples: ['agmd docs create --title Notes', 'agmd docs create -f draft.md', 'echo "# Hello" | agmd docs create -f - --json'],
    tellsLink: true
  }),
  commandOf('readContent', {
    own: true,
    summary: 'Writes a document to a file, and remembers its version for the push.',
    description: 'Changes that were made in the file are kept: with --merge both are put together, with --force the file is replaced.',
    without: ['section', 'lines', 'since', 'version'],
    options: [
      { name: 'output', short: 'o', type: 'string', summary: 'the file; - is the standard output' },
      merge,
      { name: 'force', type: 'boolean', summary: 'replace the file, whatever is in it' }
    ],
    examples: ['agmd docs pull "$URL" -o notes.md', 'agmd docs pull notes.md', 'agmd docs pull notes.md --merge']
  }),
  commandOf('replaceContent', {
    own: true,
    summary: 'Replaces a document by a file, if nobody changed it since the pull.',
    description:
      'Otherwise nothing is written and the exit code is 5. With --merge changes in different places are put together and pushed; where both ' +
      'changed the same, the file gets both, between marks: settle it and push again.',
    without: ['content', 'mode', 'onConflict', 'dryRun', 'baseVersion', 'label'],
    options: [
      { name: 'file', short: 'f', type: 'string', summary: 'the file, if DOC is not one that was pulled' },
      ...optionsFor('replaceContent', {
        label: { short: 'l' },
        baseVersion: { summary: 'the version that the file began with, if it was not pulled' },
        dryRun
      }),
      merge,
      suggest,
      { name: 'force', type: 'boolean', summary: 'replace the document whatever came between' },
      keepMarks
    ],
    examples: [
      'agmd docs push notes.md',
      'agmd docs push "$URL" -f notes.md --label "second draft"',
      'agmd docs push notes.md --merge --dry-run'
    ]
  }),
  own('docs status', {
    summary: 'Tells whether a file and its document have changed since the pull.',
    operation: 'readContent',
    positionals: [file('a file that was pulled')],
    options: [],
    examples: ['agmd docs status notes.md']
  }),
  commandOf('readDiff', {
    own: true,
    summary: 'Shows how a file differs from its document, or two versions from each other.',
    options: [
      { name: 'file', short: 'f', type: 'string', summary: 'the file, if DOC is not one that was pulled' },
      { name: 'exit-code', type: 'boolean', summary: 'exit with 1 when there are differences' }
    ],
    fields: {
      from: { required: false, summary: 'an earlier version, in place of a file' },
      to: { summary: 'a later version; the present one when absent' }
    },
    examples: ['agmd docs diff notes.md', 'agmd docs diff "$URL" -f notes.md', 'agmd docs diff "$URL" --from "$VERSION"']
  }),
  own('docs cat', {
    summary: 'Prints a document, or a part of it.',
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
    summary: 'Appends Markdown to a document, or to one of its sections.',
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
    summary: 'Changes words, sections or lines of a document, whatever others write elsewhere.',
    description: 'One change by --find with --with or --delete, or up to 100 by --operations (see /agents.md): all of them or none.',
    without: ['operations', 'mode', 'dryRun', 'label', 'baseVersion'],
    options: [
      ...optionsFor('createSuggestion', Object.fromEntries(targets.map((field) => [field, {}]))),
      { name: 'with', type: 'string', summary: 'what stands instead', text: true },
      { name: 'delete', type: 'boolean', summary: 'nothing stands instead' },
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
    summary: 'Opens a document in the browser (or in what BROWSER names).',
    positionals: [documentPositional],
    options: [],
    examples: ['BROWSER=true agmd docs open "$URL"']
  }),
  own('docs watch', {
    summary: 'Keeps a file as its document is; with --two-way also the document as the file is.',
    description: 'Stops with exit code 5 where both changed the same.',
    operation: 'listEvents',
    positionals: [file('a file that was pulled')],
    options: [{ name: 'two-way', type: 'boolean', summary: 'push what is saved in the file' }],
    examples: ['agmd docs watch notes.md', 'agmd docs watch notes.md --two-way'],
    endless: true
  }),
  commandOf('searchDocuments', { positionals: { q: 'WORDS' }, examples: ['agmd search "lazy dog"', 'agmd search fox --limit 5 --json'] }),
  commandOf('listDocuments', { examples: ['agmd docs list', 'agmd docs list --query plan --json'] }),
  commandOf('claimDocument', { examples: ['agmd docs claim "$URL"'] }),
  commandOf('deleteDocument', { examples: ['agmd docs delete "$URL" --yes', 'agmd docs delete "$URL" --permanent --yes'], destroys: true }),
  commandOf('undeleteDocument', { examples: ['agmd docs undelete "$URL"'] }),
  commandOf('listTrash', { examples: ['agmd docs trash'] })
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
    fields: { resolved: { summary: 'with --no-resolved it is opened again' } },
    examples: ['agmd comments resolve "$URL" "$COMMENT"', 'agmd comments resolve "$URL" "$COMMENT" --no-resolved']
  }),
  commandOf('editComment', { fields: { body: longText }, examples: ['agmd comments edit "$URL" "$COMMENT" -m "Whose words?"'] }),
  commandOf('deleteComment', { examples: ['agmd comments delete "$URL" "$COMMENT" --yes'], destroys: true }),
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
    fields: { step: { summary: 'the step of the suggestion that was read: refused when it has changed since' } },
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
  commandOf('replyToSuggestion', { fields: { body: longText }, examples: ['agmd suggestions reply "$URL" "$SUGGESTION" -m "Why?"'] }),
  commandOf('withdrawSuggestion', { examples: ['agmd suggestions withdraw "$URL" "$SUGGESTION"'] })
]

const sharing: readonly Command[] = [
  commandOf('listShares', { examples: ['agmd share list "$URL"'] }),
  commandOf('readShare', { examples: ['agmd share show "$URL" "$SHARE"'] }),
  commandOf('createShare', {
    positionals: { role: 'ROLE' },
    examples: ['agmd share create "$URL" edit --label Ana', 'agmd share create "$URL" view --json'],
    tellsLink: true
  }),
  commandOf('changeShare', { positionals: { role: 'ROLE' }, examples: ['agmd share change "$URL" "$SHARE" comment'], tellsLink: true }),
  commandOf('revokeShare', { examples: ['agmd share revoke "$URL" "$SHARE" --yes'], destroys: true }),
  commandOf('listRevisions', { examples: ['agmd revisions list "$URL" --limit 5'] }),
  commandOf('readRevision', { own: true, examples: ['agmd revisions show "$URL" 1'] }),
  commandOf('labelRevision', { positionals: { label: 'LABEL' }, examples: ['agmd revisions label "$URL" 1 "as it was sent"'] }),
  commandOf('restoreRevision', {
    positionals: { revision: 'REVISION' },
    fields: { label: { short: 'l' }, dryRun },
    examples: ['agmd revisions restore "$URL" 1 --dry-run', 'agmd revisions restore "$URL" 1']
  }),
  commandOf('publishDocument', { examples: ['agmd publish "$URL"', 'agmd publish "$URL" --no-published'] }),
  commandOf('listEvents', {
    own: true,
    options: [{ name: 'follow', type: 'boolean', summary: 'go on until stopped' }],
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
    options: [{ name: 'file', short: 'f', type: 'string', summary: 'the picture, sound or film', required: true }],
    examples: ['agmd assets upload "$URL" -f picture.png --name "A picture"']
  })
]

const tasks: readonly Command[] = [
  commandOf('createTask', {
    own: true,
    fields: {
      requestId: { required: false, summary: 'your name for the request; of the title and instructions when absent' },
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

const noWait = { name: 'wait', type: 'boolean', summary: 'with --no-wait only start it, and print the id of the job' } as const
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
    options: [noWait, { name: 'output', short: 'o', type: 'string', summary: 'a file for the sound' }],
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
    summary: 'Waits for a media job that has been started, and tells its result.',
    positionals: [documentPositional, { name: 'JOB', summary: 'id of the job', required: true }],
    options: [
      { name: 'output', short: 'o', type: 'string', summary: 'a file for the sound of a speech' },
      { name: 'save', type: 'boolean', summary: 'keep a speech as an asset, and print the Markdown that plays it' }
    ],
    examples: ['agmd media wait "$URL" "$JOB"']
  }),
  commandOf('cancelJob', { examples: ['agmd media cancel "$URL" "$JOB"'] }),
  commandOf('createNode', { examples: ['agmd node token --name "The machine under the desk"'], tellsLink: true }),
  commandOf('listNodes', { examples: ['agmd node list'] }),
  commandOf('revokeNode', { examples: ['agmd node revoke "$NODE" --yes'], destroys: true }),
  own('node', {
    summary: 'Lends this machine to the service for media jobs, with the engines that are installed.',
    description:
      'AGMD_NODE_TOKEN is its token. It dials out; nothing is opened to the network. It uses tesseract, flite, espeak-ng, pocketsphinx, whisper.cpp ' +
      '(AGMD_NODE_WHISPER_MODEL), and any server with the interface of OpenAI: AGMD_NODE_OPENAI_URL, _KEY, _KINDS (image, speech, transcription), ' +
      '_IMAGE_MODEL, _SPEECH_MODEL, _TRANSCRIPTION_MODEL.',
    positionals: [],
    options: [
      { name: 'slots', type: 'integer', summary: 'jobs at once, from 1 to 16; 1 when absent' },
      { name: 'check', type: 'boolean', summary: 'only tell which engines are here' }
    ],
    examples: ['AGMD_NODE_TOKEN="$NODE_TOKEN" agmd node', 'AGMD_NODE_TOKEN="$NODE_TOKEN" agmd node --check'],
    endless: true
  })
]

const machine: readonly Command[] = [
  own('api', {
    summary: 'Sends a request to the service as it is, with your credentials.',
    positionals: [
      { name: 'METHOD', summary: 'GET, POST, PUT, PATCH or DELETE', required: true },
      { name: 'PATH', summary: 'a path of the service; its key is that of a document you have used', required: true }
    ],
    options: [
      {
        name: 'field',
        short: 'F',
        type: 'string',
        summary: 'NAME=VALUE for the JSON body, repeated; a VALUE that is JSON is sent as such'
      },
      { name: 'body-file', type: 'string', summary: 'a file for the body; - is the standard input' },
      { name: 'type', type: 'string', summary: 'media type of that body; application/json when absent' }
    ],
    examples: ['agmd api GET /api/health', 'agmd api POST /new -F title=Notes -F content="# Notes"']
  }),
  own('mcp', {
    summary: 'Speaks MCP on the standard input and output, for programs that start their tools themselves.',
    description: 'A DOC gives its key to every call that brings none. Tools are named with underscores.',
    positionals: [{ ...documentPositional, required: false }],
    options: [],
    examples: ['echo \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\' | agmd mcp "$URL"']
  }),
  own('commands', {
    summary: 'Lists all commands; with --json everything about them.',
    positionals: [],
    options: [],
    examples: ['agmd commands', 'agmd commands --json']
  }),
  own('completion', {
    summary: 'Prints the completion of a shell.',
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
    summary: 'Replaces this program by the one that the service offers, if its checksum is right.',
    positionals: [],
    options: [{ name: 'check', type: 'boolean', summary: 'only tell whether there is another one' }],
    examples: ['agmd upgrade --check', 'agmd upgrade']
  })
]

/** In the order in which they are listed. */
export const commands: readonly Command[] = [...account, ...documents, ...review, ...sharing, ...tasks, ...media, ...machine]
