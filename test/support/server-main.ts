/**
 * The program that a test starts for a server process or an `admin` command. A whole run starts such a process some hundred times, so it uses the
 * built server (`AGMD_TEST_BUILT`), which is ready in half of the CPU time. The run of a single file uses the sources, so that nothing has to be
 * built first.
 */
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export const builtMain = join(root, 'dist/server/main.js')
export const serverMain = process.env['AGMD_TEST_BUILT'] === '1' ? builtMain : join(root, 'server/main.ts')
