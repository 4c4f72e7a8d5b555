import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { endFile } from './after-file.ts'
import { lendToTests } from './lent-database.ts'

// Runs before each test file. Hooks run in the reverse order of their registration, so this one runs after the file's.
afterAll(endFile)

// This process has its threads by now. The programs that it starts have as many as they would have without it.
delete process.env.UV_THREADPOOL_SIZE

lendToTests(() => (TestRunner.getCurrentTest() === undefined ? null : onTestFinished))
