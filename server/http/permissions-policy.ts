/** Forbids access to devices that none of our pages uses. Only the page of a document may ask for the microphone, for dictation. */
export const permissionsPolicy = (microphone: 'self' | '' = ''): string =>
  `geolocation=(), camera=(), microphone=(${microphone}), payment=()`
