/** The guide to live components for programs, which see components as text. It is built from the table of kinds (shared/fences/kinds.ts). */
import { fenceParts } from '../../shared/fences/kinds.ts'

const parts = Object.entries(fenceParts)

export const componentsGuide = `People work with these fenced blocks by hand; you edit them as text. Edit single lines, never the whole block: other
people may be working in it.

\`\`\`\`markdown
${parts.map(([, { example }]) => example).join('\n\n')}
\`\`\`\`

${parts.map(([kind, { guide }]) => `- **${kind}**: ${guide}`).join('\n')}`
