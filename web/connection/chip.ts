/** Decides what the connection chip says. It never claims more than the page knows. */
import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { t } from '../text/t.ts'
import type { Ended } from './retry.ts'

/** Whether typed suggestions are unsent, and if so whether this device stores them (`kept`) or only this page has them (`here`). */
export type Drafts = 'none' | 'kept' | 'here'

export interface ChipInput {
  /** State of the socket. It is `synced` once the server's text has arrived. */
  readonly socket: 'connecting' | 'synced' | 'closed'
  /** Whether the browser reports a network. It does not matter while the server is heard, because the server may be on this machine. */
  readonly online: boolean
  /** Whether nothing has arrived from the server since the browser last reported that the network is gone. */
  readonly unheard: boolean
  /** Whether every change that this page knows of is on the server's disk. */
  readonly durable: boolean
  /** Number of changes from this device that the server has not confirmed. */
  readonly unsent: number
  /** Number of unsent changes that are not yet on this device's disk. */
  readonly unwritten: number
  /** Whether this device can store changes (IndexedDB works). */
  readonly kept: boolean
  readonly canEdit: boolean
  readonly drafts: Drafts
  /** The kind of annotation that a person who cannot edit may still write. */
  readonly annotations?: 'suggestions' | 'comments' | undefined
  /** The reason why the server ended the connection permanently, if it did. */
  readonly ended: Ended | undefined
  /** Whether this page has ever been connected. Before that, the chip does not say that the page is reconnecting. */
  readonly connectedBefore: boolean
}

export interface Chip {
  readonly state: 'saved' | 'saving' | 'offline' | 'reconnecting' | 'readonly' | 'ended'
  readonly label: string
  /** Another sentence for the tooltip and for screen readers. */
  readonly detail: string
  /**
   * Number of unsent changes that the device stores, or of all unsent changes if it cannot store any. A change may be a single character,
   * so only tests use the number.
   */
  readonly held?: number
}

/** Returns the label of the connection, followed by a note on unsent changes. */
function keptLabel(state: string, { kept }: ChipInput, held: number): string {
  if (held <= 0) return state
  return kept ? t('{state}, changes stored on this device', { state }) : t('{state}, changes not saved', { state })
}

function draftDetail({ drafts }: ChipInput): string {
  return drafts === 'kept'
    ? t('Your suggestion is stored on this device and will be sent when you are back online.')
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

/** Returns the text of the chip. */
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
  if (input.socket !== 'synced' || (!input.online && input.unheard)) return disconnected(input)
  if (input.drafts !== 'none')
    return { state: 'saving', label: t('Saving suggestion…'), detail: t('Your last changes are on their way to the server.') }
  if (!input.canEdit) return readOnly(input)
  return connected(input)
}

/** Delay before the chip changes from Saving to Saved, in milliseconds. It keeps the chip steady between the key presses of a typist. */
const restMs = 200

/** Delays the change from Saving to Saved until the person pauses. Every other change to the chip is shown immediately. */
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
