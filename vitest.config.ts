import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests that start the Workers runtime, or programs of the project. */
const SYSTEM = '{domain,adapters,host-worker,test}/**/*.system.test.ts'

/**
 * Tests that interrupt work at one call after another, let requests race, draw their input at random, or move, export and
 * restore whole organizations. They take as long as all tests that are neither these nor of the system.
 */
const LONG = '{domain,adapters,host-worker,test}/**/*.long.test.ts'

/**
 * The tests that `npm test` leaves out, by the variable that selects them. `npm run test:system` and `npm run test:long`
 * need nothing but Node. The others need a real browser, real ODBC drivers or a registry to install the package from, and
 * belong to the scripts in test/ci.
 */
const partial: Readonly<Record<string, readonly string[]>> = {
  SYSTEM_TESTS: [SYSTEM],
  LONG_TESTS: [LONG],
  BROWSER_TESTS: ['test/ci/browser/*.spec.ts', 'test/ci/browser/console/*.spec.ts'],
  CONSOLE_TESTS: ['test/ci/browser/console/*.spec.ts'],
  PACKAGE_TESTS: ['test/ci/package/*.spec.ts'],
  ODBC_TESTS: [
    'test/ci/odbc/*.spec.ts',
    'test/conformance/pos-{gateway,odbc}.system.test.ts',
    'test/e2e/pos.system.test.ts',
    'test/faults/pos-gateway.system.test.ts',
  ],
}
const [askedFor, asked] = Object.entries(partial).find(([name]) => process.env[name] === 'yes') ?? []
const isPartial = askedFor !== undefined
/** Whether all answers that the tests fetch are the service's. */
const asksService = !isPartial || askedFor === 'SYSTEM_TESTS' || askedFor === 'LONG_TESTS'

/**
 * What a usual run leaves out. With `too`, a variable adds its tests to the usual ones, and whoever names files or folders
 * means the long tests in them, too.
 */
const namesFiles = process.argv.slice(2).some((argument) => /^[^-].*\//.test(argument))
const leftOut = [
  ...(process.env.SYSTEM_TESTS === 'too' ? [] : [SYSTEM]),
  ...(process.env.LONG_TESTS === 'too' || namesFiles ? [] : [LONG]),
]

// Tests hand mostly small work to other threads (an HMAC of some bytes, say), and waking one of several threads costs
// more than that work. Workers inherit this setting; the programs that they start do not (test/support/runner/file-setup.ts).
process.env.UV_THREADPOOL_SIZE = '1'

export default defineConfig({
  resolve: {
    // The build of the console generates these two modules.
    alias: [
      {
        find: /^.*\/operation-(?:table|fields)\.ts$/,
        replacement: fileURLToPath(
          new URL('test/support/services/operator/console-operations.ts', import.meta.url),
        ),
      },
    ],
  },
  test: {
    // Loading the modules that all files share costs more than most files do, so the files of a worker load them once.
    // A test therefore leaves no module, timer or global changed.
    isolate: false,
    // What was transformed in an earlier run is kept in node_modules, by its content. A first run transforms everything.
    fsModuleCache: true,
    // Files wait for other threads and for processes that they started, so two cores have work for three workers.
    maxWorkers: 3,
    // By default V8 collects garbage on as many threads as there are cores, which other workers need, and it collects
    // young objects each time they fill some megabytes. With one thread and more room for them, a run takes a fifth less.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=64'],
    include: [...(asked ?? ['{domain,adapters,host-worker,test}/**/*.test.ts'])],
    // Tests run esbuild for a second each time. Without this it would spend a sixth of that on collecting garbage.
    env: { GOGC: 'off' },
    // Every answer of the service is checked against the contract document, and `npm test` must exercise every operation.
    globalSetup: [
      'test/support/runner/cpu-time.ts',
      'test/support/services/worker-folder.ts',
      'test/support/databases/shared-runtimes.ts',
      ...(asksService ? ['test/support/contract/contract-coverage.ts'] : []),
    ],
    setupFiles: [
      'test/support/runner/file-setup.ts',
      ...(asksService ? ['test/support/contract/contract-setup.ts'] : []),
    ],
    // The programs of test/client/library are tested as whoever installs the package runs them (test/ci/package).
    exclude: [
      ...['**/node_modules/**', '**/dist/**', '**/.wrangler/**', 'test/client/library/**'],
      ...(isPartial ? [] : leftOut),
    ],
    // Tests that start a real service, database or browser take seconds, and several times as long on a machine that is
    // busy with others. The limits are there to end a hang, not to judge speed.
    testTimeout: isPartial ? 120_000 : 60_000,
    hookTimeout: 120_000,
    // By default a condition is awaited for one second, which a busy machine exceeds.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
  },
})
