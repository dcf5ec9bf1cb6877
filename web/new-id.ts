/** Random, as locks and the server need it; `randomUUID` is for secure origins only. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
