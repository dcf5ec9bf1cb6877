/**
 * Returns the allowed sources of a document's pictures, sound and video, for the Content-Security-Policy. Other sites learn a reader's IP address,
 * but not the address of the page (`Referrer-Policy: no-referrer`). The operator can forbid other sites. `data:` needs no network.
 */
export const mediaSources = (foreign: boolean): { readonly images: string; readonly media: string } => {
  const elsewhere = foreign ? ' https:' : ''
  return { images: `img-src 'self'${elsewhere} data:`, media: `media-src 'self'${elsewhere}` }
}
