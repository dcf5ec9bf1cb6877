/** Lowers a limit for the duration of a test. */
import { limits } from '../../shared/limits.ts'

/** Runs `work` with a different value of a limit. */
export const withLimit = async (
  name:
    | 'contentUnitsMax'
    | 'describedUnitsMax'
    | 'annotationsBytesMax'
    | 'annotationPageBytesMax'
    | 'sweepRecordsMax'
    | 'sharesMax'
    | 'taskSharesMax'
    | 'inboxEntriesMax'
    | 'inboxReadMax'
    | 'renamesWaitingMax'
    | 'mcpHeartbeatSeconds'
    | 'mcpNotifySeconds'
    | 'devicePollSeconds'
    | 'auditRecordsMax'
    | 'auditFailuresPerMinute'
    | 'importFilesMax'
    | 'journalRecordsMax'
    | 'keyframeBytesMin'
    | 'retentionDocumentsMax'
    | 'importBombBytesMin'
    | 'importTextBytesMax'
    | 'traceBatchSpansMax'
    | 'traceWaitingSpansMax'
    | 'traceStopMsMax'
    | 'nodeNoticeMs'
    | 'turnWaitSecondsMax'
    | 'mediaEndTriesMax'
    | 'guestNumberMax',
  value: number,
  work: () => Promise<void>
): Promise<void> => {
  const writable: Record<string, unknown> = limits
  const before = limits[name]
  writable[name] = value
  try {
    await work()
  } finally {
    writable[name] = before
  }
}
