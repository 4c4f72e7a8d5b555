import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests in a real browser or on real ODBC drivers need one, so `npm test` leaves them to test/ci/*.sh. */
function testFiles(): string[] {
  if (process.env.BROWSER_TESTS === 'yes') return ['test/ci/browser/*.spec.ts']
  if (process.env.ODBC_TESTS === 'yes') {
    return [
      'test/ci/odbc/*.spec.ts',
      'test/conformance/pos-{gateway,odbc}.test.ts',
      'test/e2e/pos.test.ts',
      'test/faults/pos-gateway.test.ts',
    ]
  }
  return ['{domain,adapters,host-worker,test}/**/*.test.ts']
}

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Many files wait for processes that they started, so one more than two cores is not too many.
    maxWorkers: 3,
    include: testFiles(),
    // Every answer of the service is checked against the contract document, and every operation must be exercised.
    ...(process.env.BROWSER_TESTS === 'yes' || process.env.ODBC_TESTS === 'yes'
      ? {}
      : {
          globalSetup: 'test/support/contract-coverage.ts',
          setupFiles: 'test/support/contract-setup.ts',
        }),
    exclude: ['**/node_modules/**', '**/dist/**', '**/.wrangler/**'],
    // Tests that start a real service or database take seconds, not milliseconds; a hang must still end.
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
