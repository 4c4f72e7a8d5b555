import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { endFile } from './after-file.ts'
import { lendToTests } from './lent-database.ts'

// Runs before each test file. Hooks run in the reverse order of their registration, so this one runs after the file's.
afterAll(endFile)

lendToTests(() => (TestRunner.getCurrentTest() === undefined ? null : onTestFinished))
