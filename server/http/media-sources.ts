/**
 * Where the pictures, and the sound and film, of a document may come from, as a Content-Security-Policy says it. Other sites see the address
 * of a reader and nothing of the page (`Referrer-Policy: no-referrer`); the operator may forbid them. Without a network: `data:`.
 */
export const mediaSources = (foreign: boolean): { readonly images: string; readonly media: string } => {
  const elsewhere = foreign ? ' https:' : ''
  return { images: `img-src 'self'${elsewhere} data:`, media: `media-src 'self'${elsewhere}` }
}
