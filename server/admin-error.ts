/** Thrown if an operator's command has wrong arguments. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}
