import { join } from 'node:path'
import { projectRoot } from '../../../host-worker/local/project.ts'

/**
 * For the environment of a program of this project that a test runs on Node. Code that one process has compiled is
 * reused by later ones, also in later runs; Node identifies files by their content. That saves a quarter of the time of
 * such a program, or half for one that only starts.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/compiled') }
