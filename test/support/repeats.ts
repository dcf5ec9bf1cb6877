/** Chooses how often a repetitive test repeats its steps: a few times in `npm test`, and many times in `npm run test:all`. */

/** Whether this is the long run. */
export const isLong = process.env['AGMD_TEST_ALL'] === '1'

export const repeats = (short: number, long: number): number => (isLong ? long : short)
