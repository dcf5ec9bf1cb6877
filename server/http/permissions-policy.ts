/** Forbids access to devices that none of our pages uses. Only a document's page may ask for the microphone, for dictation. */
export const permissionsPolicy = (microphone: 'self' | '' = ''): string =>
  `geolocation=(), camera=(), microphone=(${microphone}), payment=()`
