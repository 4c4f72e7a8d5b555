import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { endFile } from './after-file.ts'
import { lendToTests } from '../databases/lent-database.ts'

// Runs before each test file. Hooks run in the reverse order of their registration, so this one runs after the file's.
afterAll(endFile)

// This process has started its threads by now. The variable is removed, so that the programs that it starts have as
// many threads as usual.
delete process.env.UV_THREADPOOL_SIZE

lendToTests(() => (TestRunner.getCurrentTest() === undefined ? null : onTestFinished))
