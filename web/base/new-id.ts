/** Returns a random id of 32 hexadecimal digits. `randomUUID` needs a secure origin, which many home servers do not have. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
