/** Devices that no page of ours has a use for; the page of a document alone may ask for the microphone, to dictate. */
export const permissionsPolicy = (microphone: 'self' | '' = ''): string =>
  `geolocation=(), camera=(), microphone=(${microphone}), payment=()`
