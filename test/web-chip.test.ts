/** The text of the connection chip. */
import { computed, signal } from '@preact/signals'
import { expect, test, vi } from 'vitest'
import { calmly, chip, type ChipInput } from '../web/connection/chip.ts'

const calm: ChipInput = {
  socket: 'synced',
  online: true,
  unheard: false,
  durable: true,
  unsent: 0,
  unwritten: 0,
  kept: true,
  canEdit: true,
  drafts: 'none',
  ended: undefined,
  connectedBefore: true
}

const say = (change: Partial<ChipInput>): string => chip({ ...calm, ...change }).label

test('[WEB-1] the chip says Saved only if the page is connected and everything is on the server’s disk', () => {
  expect(say({})).toBe('Saved')
  expect(say({ durable: false })).toBe('Saving…')
  for (const socket of ['connecting', 'closed'] as const) {
    for (const online of [true, false]) expect(say({ socket, online })).not.toContain('Saved')
  }
})

test('[WEB-90] the chip says Offline when the browser does, until the server answers', () => {
  expect(say({ online: false, unheard: true })).toBe('Offline')
  expect(say({ online: false, unheard: true, durable: false, unsent: 2 })).toBe('Offline, changes stored on this device')
  expect(say({ online: false })).toBe('Saved')
  expect(say({ unheard: true })).toBe('Saved')
})

test('[WEB-38] if this device stores nothing, the chip says so', () => {
  expect(say({ kept: false })).toBe('Saved (not stored on this device)')
  expect(say({ kept: false, durable: false })).toBe('Saving… (not stored on this device)')
})

test('[WEB-2] without a connection the chip says whether this device keeps the changes, and counts no letters', () => {
  expect(say({ socket: 'connecting', online: false })).toBe('Offline')
  // The page counts each letter as a change, so the number means nothing to a person.
  expect(say({ socket: 'connecting', online: false, unsent: 1 })).toBe('Offline, changes stored on this device')
  expect(say({ socket: 'connecting', online: false, unsent: 17 })).toBe('Offline, changes stored on this device')
  expect(say({ socket: 'connecting', online: false, unsent: 7, kept: false })).toBe('Offline, changes not saved')
  // Changes that are not on the device's disk do not count as stored, and the page should stay open until they are.
  expect(chip({ ...calm, socket: 'connecting', online: false, unsent: 7, unwritten: 3 }).held).toBe(4)
  expect(say({ socket: 'connecting', online: false, unsent: 3, unwritten: 3 })).toBe('Offline')
  expect(chip({ ...calm, socket: 'connecting', unsent: 7, unwritten: 1 }).detail).toBe('Keep this page open until the connection is back.')
  expect(say({ socket: 'connecting', unsent: 2 })).toBe('Reconnecting, changes stored on this device')
})

test('[REVIEW-37] [REVIEW-94] a suggestion that the service does not have is not called saved, nor kept without a connection; the chip names it', () => {
  for (const change of [{}, { canEdit: false, annotations: 'suggestions' as const }]) {
    expect(say({ ...change, drafts: 'kept' })).toBe('Saving suggestion…')
    expect(chip({ ...calm, ...change, socket: 'closed', drafts: 'here' }).detail).toContain('Keep this page open')
    expect(chip({ ...calm, ...change, socket: 'closed', drafts: 'kept' }).detail).toContain('stored on this device')
  }
})

test('[WEB-3] an opening page is connecting, not reconnecting', () => {
  expect(say({ socket: 'connecting', connectedBefore: false })).toBe('Connecting')
  expect(say({ socket: 'connecting', connectedBefore: true })).toBe('Reconnecting')
})

test('[WEB-4] read-only and ended access come before anything about saving', () => {
  expect(say({ canEdit: false })).toBe('Read only')
  expect(say({ canEdit: false, durable: false })).toBe('Read only')
  expect(say({ canEdit: false, annotations: 'comments' })).toBe('Commenting')
  expect(say({ canEdit: false, annotations: 'suggestions' })).toBe('Suggesting')
  expect(say({ ended: 'credential_ended' })).toBe('Access ended')
  expect(say({ ended: 'too_big', unsent: 3 })).toBe('Too large to save')
  expect(say({ ended: 'full', unsent: 3 })).toBe('Storage full, not saved')
  expect(say({ ended: 'deleted', online: false, socket: 'closed', unsent: 3 })).toBe('Access ended')
})

test('[WEB-64] the chip stays at Saving between keystrokes, says Saved after them, and shows all else at once', () => {
  vi.useFakeTimers()
  const input = signal(calm)
  const { shown, stop } = calmly(computed(() => chip(input.value)))
  const states: string[] = []
  const leave = shown.subscribe(({ state }) => states.push(state))
  for (let key = 0; key < 3; key++) {
    input.value = { ...calm, durable: false, unsent: 1 }
    vi.advanceTimersByTime(10)
    input.value = calm
    vi.advanceTimersByTime(90)
  }
  expect(states).toEqual(['saved', 'saving'])
  vi.advanceTimersByTime(200)
  expect(states).toEqual(['saved', 'saving', 'saved'])
  input.value = { ...calm, durable: false }
  input.value = { ...calm, socket: 'connecting' }
  input.value = calm
  expect(states).toEqual(['saved', 'saving', 'saved', 'saving', 'reconnecting', 'saved'])
  leave()
  stop()
  vi.useRealTimers()
})
