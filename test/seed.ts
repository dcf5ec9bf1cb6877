/**
 * Properties are tried on the same cases in every run of the suite, so that a red run shows a fault of the change it ran for. New cases are
 * for `npm run fuzz properties`, which sets AGMD_TEST_SEED.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.AGMD_TEST_SEED ?? 1) })
