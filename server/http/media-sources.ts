/**
 * The allowed sources of a document's pictures, audio and video, for the Content-Security-Policy. Other sites see the address of a reader and
 * nothing of the page (`Referrer-Policy: no-referrer`); the operator may forbid them. Without a network: `data:`.
 */
export const mediaSources = (foreign: boolean): { readonly images: string; readonly media: string } => {
  const elsewhere = foreign ? ' https:' : ''
  return { images: `img-src 'self'${elsewhere} data:`, media: `media-src 'self'${elsewhere}` }
}
