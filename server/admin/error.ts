/** Thrown if an operator's command has invalid arguments or cannot do its work. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  /** The exit code of the process: 64 for invalid arguments; docs/operations.md lists the others. */
  readonly exitCode: number

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? 64
  }
}
