import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { noteName } from './note-name.ts'

declare global {
  var noteCallsIn: ((file: string) => void) | undefined
}

// Runs before each test file of the run that records calls.
const { MUTATION_COPY: copy = '', MUTATION_NOTED: noted = '' } = process.env
const testFile = relative(copy, expect.getState().testPath ?? '')
globalThis.noteCallsIn?.(join(noted, noteName(testFile)))
