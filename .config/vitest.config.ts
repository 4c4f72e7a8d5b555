import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['{domain,adapters,host-worker,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.wrangler/**'],
    // Tests that start a real service or database take seconds, not milliseconds; a hang must still end.
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
