import { join } from 'node:path'

/** The project's root directory. */
export const projectRoot = join(import.meta.dirname, '..', '..')
