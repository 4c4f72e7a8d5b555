import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that start the Workers runtime, or programs of the project. They take nearly as long as all others. */
const SYSTEM = '{domain,adapters,host-worker,test}/**/*.system.test.ts'

/**
 * The tests that `npm test` leaves out, by the variable that selects them. `npm run test:system` needs nothing but Node,
 * and SYSTEM_TESTS=too adds its tests to the usual ones. The others need a real browser, real ODBC drivers or a registry
 * to install the package from, and belong to the scripts in test/ci.
 */
const partial: Readonly<Record<string, readonly string[]>> = {
  SYSTEM_TESTS: [SYSTEM],
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
const withSystem = process.env.SYSTEM_TESTS === 'too'
/** Whether all answers that the tests fetch are the service's. */
const asksService = !isPartial || askedFor === 'SYSTEM_TESTS'

/**
 * The slowest files, in the order in which they start, before all others: a slow file that started last would keep one
 * core busy while the other is idle.
 */
const LONG = [
  'host-worker/operator/archives.test.ts',
  'test/faults/lost-updates.test.ts',
  'host-worker/operator/erased-archives.test.ts',
  'adapters/sqlite/move/move.test.ts',
  'domain/imports/contacts.test.ts',
  'test/contract/golden/golden.test.ts',
  'test/contract/golden/imports.test.ts',
  'test/faults/sends.test.ts',
  'test/contract/golden/figures.test.ts',
  'test/simulation/regressions/regressions.test.ts',
  'adapters/sqlite/move/kills.test.ts',
  'test/faults/imports.test.ts',
  'test/conformance/node-sqlite.test.ts',
  'test/contract/removal/removal.test.ts',
  'test/contract/removal/removal-copies.test.ts',
  'test/contract/page-size.test.ts',
  'test/contract/operator/operator-hostile.test.ts',
  'test/conformance/unindexed-object.test.ts',
  'test/contract/operator/operator-versions.test.ts',
  'test/contract/records.test.ts',
  'test/contract/operator/operator-keys.test.ts',
  'test/contract/keys/key-rate.test.ts',
  'test/conformance/d1.system.test.ts',
  'test/conformance/durable-object.system.test.ts',
  'host-worker/dev/start.system.test.ts',
  'test/e2e/after-receipt.system.test.ts',
  'test/faults/pos-gateway.system.test.ts',
  'host-worker/operator/local.system.test.ts',
  'test/e2e/sends.system.test.ts',
  'host-worker/dev/wrangler-dev.system.test.ts',
  'host-worker/launch/run.system.test.ts',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
      return place === -1 ? LONG.length : place
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => placeOf(left) - placeOf(right))
  }
}

/** With --sequence.shuffle, vitest orders the files too, unless it is given another order. */
const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'))

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
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=32'],
    include: [...(asked ?? ['{domain,adapters,host-worker,test}/**/*.test.ts'])],
    ...(isShuffled ? {} : { sequence: { sequencer: LongFirst } }),
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
      ...(isPartial || withSystem ? [] : [SYSTEM]),
    ],
    // Tests that start a real service, database or browser take seconds, and several times as long on a machine that is
    // busy with others. The limits are there to end a hang, not to judge speed.
    testTimeout: isPartial ? 120_000 : 60_000,
    hookTimeout: 120_000,
    // By default a condition is awaited for one second, which a busy machine exceeds.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
  },
})
