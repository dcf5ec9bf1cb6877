import { startProcess } from '../test/support/start.ts'
import { Agent, request } from 'node:http'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
const cpu = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1]!.split(' '); return (Number(f[11])+Number(f[12]))*10000 }
const koaFile = new URL('./tmp-koa.mjs', import.meta.url)
writeFileSync(koaFile, `import Koa from 'koa'; import Router from '@koa/router'; const app=new Koa(); const r=new Router(); const text='x'.repeat(79)+'\\n'; const body=text.repeat(128); r.get('/d/:id.md',(ctx)=>{ctx.type='text/markdown; charset=utf-8';ctx.set('ETag','"1-a"');ctx.body=body}); app.use(r.routes()); const s=app.listen(0,'127.0.0.1',()=>console.log('port '+s.address().port))`)
const koa = spawn(process.execPath, [koaFile.pathname], { stdio: ['ignore', 'pipe', 'inherit'] })
const koaPort = await new Promise<number>((res) => koa.stdout.on('data', (d) => res(Number(/port (\d+)/.exec(String(d))![1]))))
const w = await startProcess({ env: { AGMD_LOG_LEVEL: 'info', AGMD_IDLE_UNLOAD_SECONDS: '0' } })
const doc = await (await fetch(w.url + '/new', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ content: ('x'.repeat(79) + '\n').repeat(128) }) })).json()
const load = async (port: number, path: string, conns: number, seconds: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: conns })
  let n = 0; const end = Date.now() + seconds * 1000
  await Promise.all(Array.from({ length: conns }, async () => { while (Date.now() < end) { await new Promise<void>((res, rej) => request({ port, host: '127.0.0.1', path, agent }, (r) => { if (r.statusCode !== 200) rej(new Error(String(r.statusCode))); r.resume(); r.on('end', () => res()) }).on('error', rej).end()); n++ } }))
  agent.destroy(); return n
}
for (let i = 0; i < 3; i++) {
  const k0 = cpu(koa.pid!); const a = await load(koaPort, '/d/x.md', 16, 3); const k = (cpu(koa.pid!) - k0) / a
  const s0 = cpu(w.child.pid!); const b = await load(w.port, `/d/${doc.id}.md?key=${doc.key}`, 16, 3); const m = (cpu(w.child.pid!) - s0) / b
  console.log('us/req koa', k.toFixed(1), 'ours', m.toFixed(1), 'ratio', (k / m).toFixed(2))
}
koa.kill(); await w.stop()
