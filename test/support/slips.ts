/** Plausible mistakes of programs, each with its answer. `test/SPEC.md` lists them, and test/spec/slip-table.test.ts tests them. */
import type { Ask } from './world.ts'

export interface Slip {
  /** The mistake of the caller. */
  readonly slip: string
  readonly method: string
  /** The path of the request. `{id}` stands for the document, and `{key}` for its key. */
  readonly path: string
  readonly what?: Ask
  /** Whether the key is sent correctly. If not, it is sent in the place where the slip puts it. */
  readonly withKey?: boolean
  readonly status: number
  /** A part of the message in the answer. */
  readonly tells?: string
  /** The resulting text if the meaning of the request is clear. Otherwise nothing is written. */
  readonly becomes?: string
  /** Whether the request creates something else, such as a comment or a suggestion. */
  readonly makes?: boolean
}

export const slipText = '# One\n\nfirst words and second words\n\nit’s here\n'

const api = '/api/docs/{id}'
const put = (slip: string, json: unknown, tells: string): Slip => ({
  slip,
  method: 'PUT',
  path: `${api}/content`,
  what: { json },
  status: 400,
  tells
})
const raw = (slip: string, type: string, body: string, status: number, tells: string): Slip => ({
  slip,
  method: 'PUT',
  path: `${api}/content`,
  what: { body, type },
  status,
  tells
})
const edit = (slip: string, operation: object, status: number, tells: string, becomes?: string): Slip => ({
  slip,
  method: 'POST',
  path: `${api}/edits`,
  what: { json: { operations: [operation] } },
  status,
  tells,
  ...(becomes !== undefined && { becomes })
})
const post = (slip: string, path: string, json: unknown, status: number, tells: string): Slip => ({
  slip,
  method: 'POST',
  path: `${api}${path}`,
  what: { json },
  status,
  tells,
  ...(status < 300 && { makes: true })
})
const get = (slip: string, path: string, status: number, tells: string, what: Ask = {}): Slip => ({
  slip,
  method: 'GET',
  path,
  what,
  status,
  tells
})
const call = (slip: string, method: string, path: string, status: number, tells: string, json?: unknown): Slip => ({
  slip,
  method,
  path,
  what: json === undefined ? {} : { json },
  status,
  tells
})
const key = (slip: string, path: string, headers: Ask['headers'], tells: string): Slip => ({
  slip,
  method: 'GET',
  path,
  what: { ...(headers && { headers }) },
  withKey: false,
  status: 401,
  tells
})

export const slips: readonly Slip[] = [
  put('`dryrun` for `dryRun`', { content: 'two', dryrun: true }, 'dryRun'),
  put('`preview` for `dryRun`', { content: 'two', preview: true }, 'dryRun'),
  put('a misspelled `baseVersion`', { content: 'two', baseVerison: '1-000000000000' }, 'baseVersion'),
  put('`base_version`', { content: 'two', base_version: '1-000000000000' }, 'baseVersion'),
  put('`on-conflict`', { content: 'two', 'on-conflict': 'merge' }, 'onConflict'),
  put('the text in `body`', { body: 'two' }, 'content'),
  put('a title next to the text', { content: 'two', title: 'New' }, 'PATCH /api/docs/{id}'),
  put('null as the text', { content: null }, 'content'),
  put('a list of lines as the text', { content: ['one', 'two'] }, 'content'),
  put('no text', {}, 'content'),
  raw('Markdown sent as JSON', 'application/json', '# Two', 400, 'text/markdown'),
  raw('a JSON string instead of an object', 'application/json', '"two"', 400, 'JSON object'),
  raw('JSON sent as Markdown', 'text/markdown', '{"content": "two"}', 400, 'application/json'),
  raw('the default content type of curl', 'application/x-www-form-urlencoded', '# Two', 415, 'text/markdown'),
  raw('text in UTF-16', 'text/markdown; charset=utf-16', 'two', 415, 'UTF-8'),
  {
    slip: 'the comment that the service adds, sent back with the text',
    method: 'PUT',
    path: `${api}/content`,
    what: { body: '<!-- agmd: this comment is not part of the document. -->\ntwo', type: 'text/markdown' },
    status: 400,
    tells: 'leave that comment out'
  },
  call('`/comment` for `/comments`', 'POST', `${api}/comment`, 404, 'Did you mean POST /api/docs/{id}/comments? GET', { body: 'x' }),
  get('`/docs` without `/api`', '/docs/{id}', 404, 'Did you mean GET /api/docs/{id}? GET'),
  get('`/history` for `/revisions`', `${api}/history`, 404, 'GET /api/docs/{id}/revisions'),
  call('POST instead of PUT', 'POST', `${api}/content`, 405, 'PUT', { content: 'two' }),
  call('PUT to the page of a document', 'PUT', '/d/{id}', 405, 'PUT /api/docs/{id}/content', { content: 'two' }),
  call('PUT to the Markdown page of a document', 'PUT', '/d/{id}.md', 405, 'PUT /api/docs/{id}/content', { content: 'two' }),
  call('PATCH with the entire text', 'PATCH', `${api}/content`, 400, 'operations', { content: 'two' }),
  call('POST to rename a document', 'POST', api, 405, 'PATCH', { title: 'New' }),
  call('DELETE of all comments', 'DELETE', `${api}/comments`, 405, 'accepts GET, HEAD, POST'),
  get('`/api/documents` for `/api/docs`', '/api/documents/{id}', 404, '/api/docs/{id}'),
  get('`.md` after the id in the API', '/api/docs/{id}.md', 404, ''),
  get('a trailing slash', `${api}/content/`, 404, `GET ${api}/content`),
  get('two leading slashes', '//api/docs/{id}', 400, 'not valid'),
  get('a URL instead of an id', '/api/docs/http%3A%2F%2Fagmd%2Fd%2Fx', 400, 'not valid'),
  get('`/text` for `/content`', `${api}/text`, 404, 'GET /api/docs/{id}/content'),
  get('a range of lines with a colon', `${api}/content?lines=1:3`, 400, '10-20'),
  get('a range of lines with letters', `${api}/content?lines=L1-L3`, 400, '10-20'),
  get('a URL with campaign parameters', `${api}/content?utm_source=x`, 400, 'The fields are: version'),
  get('`since` in a request for comments', `${api}/comments?since=3`, 400, '/events'),
  get('`since=now` in a request for events', `${api}/events?since=now`, 400, 'latest'),
  get('a request for XML', `${api}/content`, 406, '', { headers: { Accept: 'application/xml' } }),
  edit(
    '`replace` for `with`, which is an alias',
    { op: 'replace', find: 'first words', replace: 'x' },
    200,
    '"changed":true',
    slipText.replace('first words', 'x')
  ),
  edit('an unknown operation', { op: 'substitute', find: 'first words', with: 'x' }, 400, 'replace_section'),
  edit(
    '`old` and `new` for `find` and `with`',
    { op: 'replace', old: 'first words', new: 'x' },
    400,
    'no field old (did you mean find?), no field new (did you mean with?)'
  ),
  edit('`from` and `to` for `find` and `with`', { op: 'replace', from: 'first words', to: 'x' }, 400, 'no field to (did you mean with?)'),
  edit('`search` for `find`', { op: 'replace', search: 'first words', with: 'x' }, 400, 'no field search; did you mean find?'),
  edit('`all` for `replace_all`', { op: 'replace', find: 'words', with: 'x', all: true }, 400, 'did you mean op replace_all?'),
  edit(
    '`str_replace` for `replace`',
    { op: 'str_replace', old_str: 'first', new_str: 'x' },
    400,
    'must be one of \\"replace\\", \\"delete\\"'
  ),
  edit('`command` for `op`', { command: 'str_replace', old_str: 'first', new_str: 'x' }, 400, 'no field command (did you mean op?)'),
  edit('`done` for `checked`', { op: 'check', item: 'first', done: true }, 400, 'did you mean checked?'),
  edit('`cell` for `row` and `column`', { op: 'set_cell', cell: 'B2', text: 'x' }, 400, 'did you mean row and column?'),
  edit('an invalid row', { op: 'set_cell', row: {}, column: 1, text: 'x' }, 400, 'must be a number from 1, or the text'),
  edit('an insertion without a place', { op: 'insert', markdown: 'x' }, 400, 'needs one of after (words of the text)'),
  edit(
    '`position` for `after`, `before` or `at`',
    { op: 'insert', markdown: 'x', position: 'end' },
    400,
    'did you mean after, before or at?'
  ),
  edit('`mode` within an operation', { op: 'append', markdown: 'x', mode: 'suggest' }, 400, 'did you mean mode outside this edit?'),
  edit('an empty `find`', { op: 'replace', find: '', with: 'x' }, 400, 'find'),
  edit('words that are not in the text', { op: 'replace', find: 'third words', with: 'x' }, 422, 'target_not_found'),
  edit('words that occur twice in the text', { op: 'replace', find: 'words', with: 'x' }, 422, 'candidates'),
  edit('a word instead of a line number', { op: 'replace_lines', from: 'first', to: 3, markdown: 'x' }, 400, 'from'),
  edit('line number 0', { op: 'replace_lines', from: 0, to: 1, markdown: 'x' }, 400, 'from'),
  edit('line numbers without a version', { op: 'replace_lines', from: 1, to: 1, markdown: 'x' }, 428, 'baseVersion'),
  {
    slip: '`If-None-Match` where `If-Match` is meant',
    method: 'PUT',
    path: `${api}/content`,
    what: { json: { content: 'x' }, headers: { 'If-None-Match': '*' } },
    status: 400,
    tells: 'If-Match'
  },
  edit('`force` within an operation', { op: 'append', markdown: 'x', force: true }, 400, 'force'),
  edit(
    'Windows line endings',
    { op: 'replace', find: '# One\r\n\r\nfirst', with: '# Two\r\n\r\nfirst' },
    200,
    '"changed":true',
    slipText.replace('One', 'Two')
  ),
  edit(
    'a straight quote for a curly one',
    { op: 'replace', find: "it's here", with: 'it’s there' },
    200,
    '"exact":false',
    slipText.replace('here', 'there')
  ),
  {
    slip: 'one operation instead of a list of operations',
    method: 'POST',
    path: `${api}/edits`,
    what: { json: { op: 'append', markdown: 'x' } },
    status: 200,
    tells: '"changed":true',
    becomes: `${slipText}\nx\n`
  },
  ...(['`suggest: true` for `mode: "suggest"`', '`as: "suggestions"` for `mode: "suggest"`'] as const).map((slip, index) =>
    post(
      slip,
      '/edits',
      { ...(index === 0 ? { suggest: true } : { as: 'suggestions' }), operations: [{ op: 'append', markdown: 'x' }] },
      200,
      '"setId"'
    )
  ),
  post('`preview: true` for `dryRun`', '/edits', { preview: true, operations: [{ op: 'append', markdown: 'x' }] }, 400, 'dryRun'),
  post('`find_text` for `find`', '/comments', { body: 'x', find_text: 'first' }, 400, 'find'),
  post('`parentId` in a comment', '/comments', { body: 'x', parentId: 'c1' }, 400, '/replies'),
  post(
    'words across a heading and the text below',
    '/edits',
    { operations: [{ op: 'replace', find: 'One first', with: 'x' }] },
    422,
    'target_not_found'
  ),
  call('a new document with its text as `body`', 'POST', '/api/docs', 400, 'content', { body: '# One' }),
  call('a new document with its text as `text`', 'POST', '/new', 400, 'content', { text: '# One' }),
  get('`type` for `status`', `${api}/comments?type=open`, 400, 'status'),
  post('`selection` for `find`', '/comments', { body: 'x', selection: 'first' }, 400, 'find'),
  post('`replyTo` in a comment', '/comments', { body: 'x', replyTo: 'c1' }, 400, '/replies'),
  post('a comment on words that are not in the text', '/comments', { body: 'x', find: 'third' }, 422, 'unanchored'),
  post('an empty comment', '/comments', { body: ' ' }, 400, 'body'),
  post('`text` for `body`, which is an alias', '/comments', { text: 'x', find: 'first' }, 201, '"anchored":true'),
  post(
    '`type` and `content` in a suggestion, which are aliases',
    '/suggestions',
    { type: 'replace', find: 'first', content: 'x' },
    201,
    'pending'
  ),
  post('a suggestion with an unknown operation', '/suggestions', { operation: 'change', find: 'first', text: 'x' }, 400, 'replace'),
  post('`accept` in the path', '/suggestions/s1/accept', {}, 404, '/suggestions/{suggestionId}'),
  post('`editor` for `edit`', '/shares', { role: 'editor' }, 400, '\\"edit\\"'),
  post('an expiry time in words', '/shares', { role: 'edit', expiresAt: 'tomorrow' }, 400, 'T12:00:00Z'),
  post('`expires` for `expiresAt`', '/shares', { role: 'edit', expires: '2030-01-01T00:00:00Z' }, 400, 'expiresAt'),
  post('a misspelled `published`', '/publish', { publishd: false }, 400, 'published'),
  post('an action that does not mean publishing', '/publish', { action: 'hide' }, 400, 'publish'),
  post('an assignment without `requestId`', '/tasks', { title: 'x', instructions: 'x' }, 400, 'requestId'),
  // These are field names of GitHub, Google Docs, Notion and tools that edit files.
  post(
    'a comment with a line number, as in GitHub',
    '/comments',
    { body: 'x', path: 'plan.md', start_line: 3, side: 'RIGHT' },
    400,
    'find (its words), line (from 1)'
  ),
  post(
    'a comment with quoted words, as in Google Drive',
    '/comments',
    { content: 'x', quotedFileContent: { value: 'first' } },
    400,
    'find (its words)'
  ),
  post('a comment in rich text, as in Notion', '/comments', { rich_text: [{ text: { content: 'x' } }] }, 400, 'did you mean body?'),
  get('`per_page` and `page`', `${api}/comments?per_page=10&page=2`, 400, 'did you mean limit?'),
  get('a cursor, as in Notion', `${api}/comments?start_cursor=x`, 400, 'did you mean before?'),
  get('`cursor` for `since`', `${api}/events?cursor=1&timeout=5`, 400, 'did you mean wait?'),
  get('`start` and `end` for `lines`', `${api}/content?start=1&end=3`, 400, 'did you mean lines?'),
  get('`offset` and `limit` for `lines`', `${api}/content?offset=1&limit=3`, 400, 'did you mean lines?'),
  get('`heading` for `section`', `${api}/content?heading=One`, 400, 'did you mean section?'),
  get('a format in the query', `${api}/content?format=json`, 400, 'header Accept'),
  get('`query` for `q`', `${api}/search?query=first`, 400, 'did you mean q?'),
  put('`sha` and `message`, as in GitHub', { content: 'two', message: 'x', sha: 'abc' }, 'did you mean baseVersion?'),
  call('`batchUpdate`, as in Google Docs', 'POST', `${api}:batchUpdate`, 405, 'Did you mean POST /api/docs/{id}/edits?', { requests: [] }),
  post('`requests`, as in Google Docs', '/edits', { requests: [] }, 400, 'did you mean operations?'),
  edit('a request object, as in Google Docs', { replaceAllText: { replaceText: 'x' } } as object, 400, 'must be one of \\"replace_all\\"'),
  edit('`location`, as in Google Docs', { op: 'insertText', location: { index: 1 }, text: 'x' }, 400, 'did you mean after, before or at?'),
  post('`writeControl`, as in Google Docs', '/edits', { operations: [], writeControl: {} }, 400, 'did you mean baseVersion?'),
  call('blocks, as in Notion', 'PATCH', `${api}/blocks`, 404, 'POST /api/docs/{id}/edits', { children: [] }),
  post('`updates` with patterns', '/edits', { updates: [{ pattern: 'first', replacement: 'x' }] }, 400, 'did you mean operations?'),
  edit(
    '`pattern` and `multiple`',
    { op: 'replace', pattern: 'first', multiple: true, with: 'x' },
    400,
    'no field pattern (did you mean find?)'
  ),
  post('a patch instead of a list of edits', '/edits', { patch: '*** Begin Patch' }, 400, 'Send a list of edits'),
  post('`old_string` without operations', '/edits', { old_string: 'first', new_string: 'x' }, 400, 'Send a list of edits'),
  edit('a string instead of an edit', 'SEARCH first REPLACE x' as unknown as object, 400, 'must be an object, such as'),
  post('a list as the request body', '/edits', [{ op: 'append', markdown: 'x' }], 400, 'must be a JSON object'),
  post('`old_text` and `new_text` in a suggestion', '/suggestions', { old_text: 'first', new_text: 'x' }, 400, 'did you mean text?'),
  post(
    '`start` and `end` in a suggestion',
    '/suggestions',
    { operation: 'replace', start: 1, end: 3, text: 'x' },
    400,
    'anchor {from, to}'
  ),
  post('`change` for `replace`', '/suggestions', { operation: 'change', find: 'first', text: 'x' }, 400, 'must be \\"replace\\" or'),
  post('the event `APPROVE`, as in GitHub', '/suggestions/s1', { event: 'APPROVE' }, 400, 'did you mean action?'),
  call('`state` to resolve a comment', 'PATCH', `${api}/comments/c1`, 400, '/resolve {\\"resolved\\"}', { state: 'closed' }),
  call('a reply sent to the comment itself', 'POST', `${api}/comments/c1`, 405, 'POST /api/docs/{id}/comments/{commentId}/replies', {
    body: 'x'
  }),
  post('`permission` for `role`', '/shares', { permission: 'edit' }, 400, 'did you mean role?'),
  post('`writer` for `edit`', '/shares', { role: 'writer' }, 400, 'must be \\"edit\\" or'),
  post('a link for one email address', '/shares', { role: 'edit', email: 'ada@example.org' }, 400, 'Anyone with a link can use it'),
  post('`visibility` for `published`', '/publish', { visibility: 'private' }, 400, 'did you mean published?'),
  call('`archived` to move a document to the trash', 'PATCH', api, 400, 'DELETE /api/docs/{id}', { archived: true }),
  call('the text in a request that changes the title', 'PATCH', api, 400, 'PUT /api/docs/{id}/content', { content: 'two' }),
  post('`version` for `revision`', '/restore', { version: '1-000000000000' }, 400, 'did you mean revision?'),
  key('the key with a different authorization scheme', `${api}/content`, { Authorization: 'Token {key}' }, 'X-Share-Key'),
  key('the key of a link as a bearer token', `${api}/content`, { Authorization: 'Bearer {key}' }, 'X-Share-Key'),
  key('the key as `X-Api-Key`', `${api}/content`, { 'X-Api-Key': '{key}' }, 'X-Share-Key'),
  key('the key as `token` in the query', `${api}/content?token={key}`, undefined, 'key'),
  key('a doubly encoded key', `${api}/content?key=%2541{key}`, undefined, 'credential_invalid'),
  key('two different keys', `${api}/content?key={key}&key=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`, undefined, 'several different keys'),
  {
    slip: 'a version without its tag',
    method: 'PUT',
    path: `${api}/content`,
    what: { json: { content: 'two' }, headers: { 'If-Match': '1' } },
    status: 409,
    tells: 'currentVersion'
  },
  {
    slip: 'different versions in the header and the body',
    method: 'PUT',
    path: `${api}/content`,
    what: { json: { content: 'two', baseVersion: '1-000000000000' }, headers: { 'If-Match': '"2-000000000000"' } },
    status: 400,
    tells: 'versions_differ'
  }
]
