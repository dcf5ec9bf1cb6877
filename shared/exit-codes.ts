/** The exit codes of `agmd`, one for each kind of failure. errors.ts maps every error of the service to an exit code. */
export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  signIn: 4,
  conflict: 5,
  rateLimited: 6,
  network: 7,
  /** 128 plus the number of SIGINT, as in shells. */
  interrupted: 130
} as const

export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done',
  error: 'an error on this machine or in the service',
  usage: 'the command or its input is wrong',
  notFound: 'there is no such document, comment, version or file',
  signIn: 'you need to sign in, or your role does not allow this',
  conflict: 'a conflict: others changed the same text, or the file still has conflict markers',
  rateLimited: 'too many requests',
  network: 'the service cannot be reached or is not ready',
  interrupted: 'stopped by Ctrl-C; files are unchanged'
}
