/** Thrown if a command of an operator has wrong arguments, or cannot do what the arguments ask for. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  /** The exit code of the process: 64 for wrong arguments; otherwise as in docs/operations.md. */
  readonly exitCode: number

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? 64
  }
}
