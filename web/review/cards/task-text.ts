/** The text that gives an agent the link of an assignment. It is in English, like all text that agents read here. */
import { addressOf } from '../../client/operation.ts'
import { prompt } from '../../sharing/agent-text.ts'
import type { Task } from '../outbox/records.ts'

export function taskText(origin: string, { id, docId, title, instructions, share }: Task): string {
  const key = new URL(share?.url ?? origin).searchParams.get('key') ?? ''
  const post = (address: string, body: string): string =>
    `  curl -X POST -H 'X-Share-Key: ${key}' -H 'X-Agent-Author: my-agent' -H 'Content-Type: application/json' \\
    -d '${body}' '${origin}${address}'`
  return `Review a document: ${title}

${instructions}

1. Start (name yourself the same way in every request):
${post(addressOf<'startTask'>('POST /api/docs/{id}/tasks/{taskId}/start', docId, { taskId: id }), '{}')}
2. Comment and suggest on its words, and note the ids of the answers:
${post(addressOf<'createComment'>('POST /api/docs/{id}/comments', docId), '{"find": "words of the text", "body": "your comment"}')}
${post(addressOf<'createSuggestion'>('POST /api/docs/{id}/suggestions', docId), '{"operation": "replace", "find": "words of the text", "text": "better words", "note": "why"}')}
3. Report, with the version that you read:
${post(addressOf<'reportTask'>('POST /api/docs/{id}/tasks/{taskId}/report', docId, { taskId: id }), '{"reviewedVersion": "<version>", "summary": "…", "commentIds": [], "suggestionIds": []}')}

${prompt({ origin, id: docId, secret: key, role: share?.role ?? 'suggest' })}`
}
