/**
 * The reason why a bucket cannot be used. `exitCode` is the exit code of the process. 1: the bucket cannot be reached. 3: the folder in the bucket
 * belongs to another installation or has other files. 78: a setting or an access right is wrong.
 */
export class S3Error extends Error {
  readonly exitCode: 1 | 3 | 78

  constructor(exitCode: 1 | 3 | 78, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'S3Error'
    this.exitCode = exitCode
  }
}
