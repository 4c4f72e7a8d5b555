import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    // Tests in a real browser need one, so `npm test` leaves them to test/ci/browser.sh.
    include:
      process.env.BROWSER_TESTS === 'yes'
        ? ['test/ci/browser/*.spec.ts']
        : ['{domain,adapters,host-worker,test}/**/*.test.ts'],
    // Every answer of the service is checked against the contract document, and every operation must be exercised.
    ...(process.env.BROWSER_TESTS === 'yes'
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
