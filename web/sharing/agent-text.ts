/** The text to give to an agent with a link: all it needs to read and write, in any HTTP client. */
export function agentText(origin: string, id: string, key: string, canEdit: boolean): string {
  const read = `Read it (the ETag of the answer is the version):
  curl -i -H 'X-Share-Key: ${key}' '${origin}/d/${id}.md'`
  const write = `
Write the whole text back, with the version you read:
  curl -X PUT -H 'X-Share-Key: ${key}' -H 'Content-Type: text/markdown' \\
    -H 'If-Match: "<version>"' --data-binary @document.md '${origin}/api/docs/${id}/content'
On 409 somebody wrote in between: read again, merge, and put again.`
  return `This is a live Markdown document that people and agents edit together.
${read}
${canEdit ? write : '\nThis link does not allow replacing the text.'}
All operations: ${origin}/openapi.json`
}
