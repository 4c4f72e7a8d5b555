import { afterAll } from 'vitest'
import { endFile } from './after-file.ts'

// Runs before each test file. Hooks run in the reverse order of their registration, so this one runs after the file's.
afterAll(endFile)
