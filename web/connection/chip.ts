/** Decides what the connection chip says; nothing else does. It never claims more than is known. */
import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { t } from '../text/t.ts'
import type { Ended } from './retry.ts'

/** Whether typed suggestions are still unsent, and whether this device stores them meanwhile. */
export type Drafts = 'none' | 'kept' | 'here'

export interface ChipInput {
  /** The state of the socket: `synced` once the server's text has arrived. */
  readonly socket: 'connecting' | 'synced' | 'closed'
  /** The browser's network state. It counts only without a socket, because the server may be on this machine. */
  readonly online: boolean
  /** Every change that this page knows of is on the server's disk. */
  readonly durable: boolean
  /** Changes of this device that the server has not confirmed. */
  readonly unsent: number
  /** How many of those are not yet on this device's disk. */
  readonly unwritten: number
  /** Whether this device stores changes (IndexedDB works). */
  readonly kept: boolean
  readonly canEdit: boolean
  readonly drafts: Drafts
  /** Other things that a person without the right to edit may write. */
  readonly annotations?: 'suggestions' | 'comments' | undefined
  /** Why the server has ended the connection permanently, if it has. */
  readonly ended: Ended | undefined
  /** False until the first connection: a page that opens is not reconnecting. */
  readonly connectedBefore: boolean
}

export interface Chip {
  readonly state: 'saved' | 'saving' | 'offline' | 'reconnecting' | 'readonly' | 'ended'
  readonly label: string
  /** One more sentence, for the tooltip and for screen readers. */
  readonly detail: string
  /** How many unsent changes the device stores; for tests: a change may be one character. */
  readonly held?: number
}

/** Returns the label for unsent changes, which follows that of the connection. */
function keptLabel(state: string, { kept }: ChipInput, held: number): string {
  if (held <= 0) return state
  return kept ? t('{state}, changes kept on this device', { state }) : t('{state}, changes not saved', { state })
}

function draftDetail({ drafts }: ChipInput): string {
  return drafts === 'kept'
    ? t('Your suggestion is kept on this device and will be sent when you are back online.')
    : t('Keep this page open until the connection is back.')
}

function keptDetail(input: ChipInput): string {
  const { unsent, unwritten, kept, drafts } = input
  if (unsent === 0) return drafts === 'none' ? t('All changes so far are saved.') : draftDetail(input)
  return kept && unwritten === 0
    ? t('Your changes will be sent when you are back online. You can close this page.')
    : t('Keep this page open until the connection is back.')
}

function disconnected(input: ChipInput): Chip {
  const held = input.kept ? input.unsent - input.unwritten : input.unsent
  const said = (state: 'offline' | 'reconnecting', words: string): Chip => ({
    state,
    label: keptLabel(words, input, held),
    detail: keptDetail(input),
    held
  })
  if (!input.online) return said('offline', t('Offline'))
  return said('reconnecting', input.connectedBefore || input.unsent > 0 ? t('Reconnecting') : t('Connecting'))
}

function connected({ kept, durable }: ChipInput): Chip {
  if (!durable)
    return {
      state: 'saving',
      label: kept ? t('Saving…') : t('Saving… (not stored on this device)'),
      detail: t('Your last changes are on their way to the server.')
    }
  const everything = t('All changes are saved on the server.')
  if (kept) return { state: 'saved', label: t('Saved'), detail: everything }
  const detail = `${everything} ${t('This browser does not store the text, so it cannot be opened offline.')}`
  return { state: 'saved', label: t('Saved (not stored on this device)'), detail }
}

function readOnly({ annotations }: ChipInput): Chip {
  if (annotations === 'suggestions')
    return { state: 'readonly', label: t('Suggesting'), detail: t('Your edits become suggestions. Others decide whether to accept them.') }
  if (annotations === 'comments') return { state: 'readonly', label: t('Commenting'), detail: t('Your link allows comments but no edits.') }
  return { state: 'readonly', label: t('Read only'), detail: t('You see changes live, but your link does not allow editing.') }
}

/** Returns the words of the chip for a state. */
export function chip(input: ChipInput): Chip {
  if (input.ended === 'too_big')
    return { state: 'ended', label: t('Too large to save'), detail: t('Delete some text, and the rest will be sent automatically.') }
  if (input.ended === 'full')
    return {
      state: 'ended',
      label: t('Storage full, not saved'),
      detail: t('The storage of the document or its owner is full. Your text will be sent automatically once there is space.')
    }
  if (input.ended !== undefined)
    return { state: 'ended', label: t('Access ended'), detail: t('This page no longer receives or sends changes.') }
  if (input.socket !== 'synced') return disconnected(input)
  if (input.drafts !== 'none')
    return { state: 'saving', label: t('Saving…'), detail: t('Your last changes are on their way to the server.') }
  if (!input.canEdit) return readOnly(input)
  return connected(input)
}

/** How long nothing may be pending before the chip says so, in milliseconds: it does not change between two keys of a typist. */
const restMs = 200

/** The displayed words of the chip: it changes from Saving to Saved once the person pauses, and shows everything else at once. */
export function calmly(said: ReadonlySignal<Chip>): { readonly shown: ReadonlySignal<Chip>; stop(): void } {
  const shown = signal(said.peek())
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const next = said.value
    clearTimeout(timer)
    const before = shown.peek()
    if ((next.state === 'saved' || next.state === 'readonly') && before.state === 'saving')
      timer = setTimeout(() => (shown.value = next), restMs)
    else if (next.state !== before.state || next.label !== before.label || next.detail !== before.detail || next.held !== before.held)
      shown.value = next
  })
  return {
    shown,
    stop() {
      clearTimeout(timer)
      stop()
    }
  }
}
