/**
 * Makes every run of the suite test properties on the same cases, so that a failure points to the change under test. `npm run fuzz properties` tests
 * new cases and sets AGMD_TEST_SEED.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.AGMD_TEST_SEED ?? 1) })
