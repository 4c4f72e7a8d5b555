/** The entry of the simulation. `--tiny` must take effect before any other module is loaded. */
import { makeSizesTiny } from './tiny-sizes.ts'

if (process.argv.includes('--tiny')) makeSizesTiny()
await import('./command.ts')
