/** Random, 32 hexadecimal digits; `randomUUID` is for secure origins only, and many servers at home have none. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
