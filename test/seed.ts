/**
 * Makes every run of the suite test properties on the same cases, so that a failure points to the change under test. `npm run fuzz properties` tests
 * new cases and sets AGMD_TEST_SEED.
 * Also sets the length of the windows, if a run asks for one.
 */
import './support/windows.ts'
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.AGMD_TEST_SEED ?? 1) })
