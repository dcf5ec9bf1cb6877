/** The ways to export a document. The code of each loads on first use. */
import type { Session } from '../session/session.ts'

export const downloadText = async (session: Session): Promise<void> => (await import('./markdown-file.ts')).downloadText(session)
export const downloadPage = async (session: Session): Promise<void> => (await import('./page-file.ts')).downloadPage(session)
export const printDocument = async (session: Session): Promise<void> => (await import('./print.ts')).printDocument(session)
