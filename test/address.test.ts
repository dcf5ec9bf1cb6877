import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { addressGroup, createAddressOf } from '../server/address.ts'

test.each([
  ['2001:db8::1', '2001:db8::2'],
  ['2001:db8::1', '2001:0DB8:0:0:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2::', '2001:db8:1:2:3:4:5:6'],
  ['[2001:db8::1]:443', '2001:db8::9'],
  ['"[2001:db8::1]"', '2001:db8::1%eth0'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1:65535'],
  ['[::ffff:192.0.2.1]:80', ' 192.0.2.1 '],
  ['64:ff9b::192.0.2.1', '192.0.2.1']
])('[SOCKET-11] one household counts as one address: %s and %s', (one, other) => {
  expect(addressGroup(one)).toBe(addressGroup(other))
})

test.each([
  ['192.0.2.1', '192.0.2.2'],
  ['2001:db8::1', '2001:db8:0:1::1'],
  ['2001:db8::1', '2001:db9::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2'],
  ['::1', '::ffff:127.0.0.1'],
  ['unknown', '_hidden']
])('[SOCKET-11] different households are different addresses: %s and %s', (one, other) => {
  expect(addressGroup(one)).not.toBe(addressGroup(other))
})

test('[SOCKET-11] text of any length that is not an address is its own name, in bounded space', () => {
  for (const text of ['', ':', '[', '::::', '1.2.3', '%', 'x'.repeat(10_000), '2001:db8::1::2', '1:2:3:4:5:6:7:8:9'])
    expect(addressGroup(text).length).toBeLessThanOrEqual(64)
})

const requestFrom = (remoteAddress: string, headers: Record<string, string>): IncomingMessage =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage

test('[SOCKET-12] the server warns once of forwarded requests from this machine without AGMD_TRUST_PROXY', () => {
  const warnings: string[] = []
  const addressOf = createAddressOf(0, (message) => warnings.push(message))
  expect(addressOf(requestFrom('192.0.2.9', { 'x-forwarded-for': '192.0.2.1' }))).toBe('192.0.2.9')
  expect(addressOf(requestFrom('::ffff:127.0.0.1', {}))).toBe('127.0.0.1')
  expect(warnings).toEqual([])
  for (let count = 0; count < 3; count++) addressOf(requestFrom('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }))
  addressOf(requestFrom('::1', { forwarded: 'for=192.0.2.1' }))
  expect(warnings).toEqual([expect.stringContaining('Set AGMD_TRUST_PROXY')])
})

test('[SOCKET-12] a trusted proxy is believed, and there is no warning', () => {
  const warnings: string[] = []
  const addressOf = createAddressOf(1, (message) => warnings.push(message))
  expect(addressOf(requestFrom('127.0.0.1', { 'x-forwarded-for': '10.0.0.1, 2001:db8::7' }))).toBe('2001:db8:0:0::/64')
  expect(warnings).toEqual([])
})
