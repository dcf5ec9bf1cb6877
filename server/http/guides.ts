/** The routes of the guides for programs and their authors. The guides are generated at the first request, because that takes a while. */
import type { Context } from './context.ts'
import type { GuideOptions, GuidePath } from './guide-texts.ts'
import type { Routers } from './routers.ts'

const markdown = 'text/markdown; charset=utf-8'

const types: Readonly<Record<GuidePath, string>> = {
  '/agents.md': markdown,
  '/cli.md': markdown,
  '/api/quickstart': markdown,
  '/api/cli/commands': 'application/json',
  '/llms.txt': 'text/plain; charset=utf-8',
  '/skills/agmd/SKILL.md': markdown
}

/** Whether the caller is a program: it accepts Markdown, or names no type. A page's fetch identifies itself through Fetch Metadata headers. */
const isProgram = (ctx: Context): boolean => {
  const accept = ctx.get('Accept')
  if (accept.includes('text/html')) return false
  return accept.includes('text/markdown') || ((accept === '' || accept === '*/*') && ctx.get('Sec-Fetch-Site') === '')
}

export const bindGuides = (options: GuideOptions, routers: Routers): void => {
  const { baseUrl } = options
  let loading: Promise<Readonly<Record<GuidePath, string>>> | undefined
  const answer = async (ctx: Context, path: GuidePath): Promise<void> => {
    const texts = await (loading ??= import('./guide-texts.ts').then(({ guideTexts }) => guideTexts(options)))
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.type = types[path]
    ctx.body = texts[path]
  }
  for (const path of Object.keys(types) as GuidePath[]) routers.of(path).get(path, (koa) => answer(koa as unknown as Context, path))
  // At the same address, people get the home page (pages.ts).
  routers.of('/').get('/', (koa, next) => {
    const ctx = koa as unknown as Context
    ctx.vary('Accept')
    if (!isProgram(ctx)) return next()
    ctx.vary('Sec-Fetch-Site')
    ctx.set('Link', `<${baseUrl}/openapi.json>; rel="service-desc", <${baseUrl}/agents.md>; rel="service-doc"`)
    return answer(ctx, '/api/quickstart')
  })
}
