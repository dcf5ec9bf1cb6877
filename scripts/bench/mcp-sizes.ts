/**
 * Prints the size of `tools/list` in bytes: the full list, and the shorter list for an invitation to each role. With `--tools`, it also prints the
 * size of each tool. Run: `npm run bench mcp-sizes`.
 */
import { connectionOf } from '../../server/mcp/connection.ts'
import { toolList } from '../../server/mcp/list.ts'
import { invitationPath } from '../../shared/mcp-groups.ts'
import { roles } from '../../shared/roles.ts'

const id = 'x'.repeat(22)

const sizeOf = (path: string): { tools: number; bytes: number } => {
  const tools = toolList('svc_', connectionOf(new URL(path, 'http://localhost').searchParams))
  return { tools: tools.length, bytes: Buffer.byteLength(JSON.stringify({ result: { tools }, jsonrpc: '2.0', id: 1 })) }
}

const print = (name: string, { tools, bytes }: { tools: number; bytes: number }): void =>
  console.log(`${name.padEnd(24)}${String(tools).padStart(4)} tools${String(bytes).padStart(8)} bytes`)

print('whole', sizeOf('/mcp'))
for (const role of roles) print(`invitation to ${role}`, sizeOf(invitationPath(id, role)))
if (process.argv.includes('--tools'))
  for (const tool of toolList('svc_', connectionOf(new URLSearchParams())) as { name: string }[])
    console.log(`${tool.name.padEnd(24)}${String(Buffer.byteLength(JSON.stringify(tool))).padStart(20)} bytes`)
