/** How often a repetitive test repeats: briefly in `npm test`, for long in `npm run test:all`. */

/** Whether this is the long run. */
export const isLong = process.env['AGMD_TEST_ALL'] === '1'

export const repeats = (short: number, long: number): number => (isLong ? long : short)
