/** A command of the operator with wrong arguments. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}
