import { join } from 'node:path'
import { projectRoot } from '../../host-worker/local/root.ts'

/**
 * For the environment of a program of this project that a test runs on Node: what one process has compiled serves the next
 * one, in later runs too. Node knows each file by its content. A quarter of what such a program takes, or half of one that
 * only starts.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/compiled') }
