import tseslint from 'typescript-eslint'

/** Globals through which the core could read the clock, randomness or the network without a port. */
const ambientWorld = [
  'fetch',
  'setTimeout',
  'setInterval',
  'console',
  'performance',
  'caches',
  'navigator',
].map((name) => ({ name, message: 'Reach the world through a port.' }))

export default tseslint.config(
  { ignores: ['**/node_modules/**', '**/dist/**', '**/.wrangler/**'] },
  // The folder's dependencies and types exist only after test/ci/client/client.sh has run, which also compiles the folder.
  { ignores: ['test/client/**'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        // The parts that run in browsers are compiled with another standard library.
        project: [
          './tsconfig.json',
          './host-worker/browser/client/tsconfig.json',
          './host-worker/console/app/tsconfig.json',
          './test/ci/browser/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname + '/..',
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // A number in a template literal has one obvious text form, and wrapping each in String() makes the sentence hard
      // to read.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Port methods are asynchronous because some adapters are remote; an embedded one may have nothing to await.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['adapters/sqlite/**/*.ts', 'adapters/pos-*/**/*.ts'],
    // Kysely makes its expression builder to be taken apart: `({ eb, ref }) => …`. No member of it uses `this`.
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  {
    files: ['domain/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', ...ambientWorld],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Read the time through the Clock port.' },
        { object: 'Math', property: 'random', message: 'Draw randomness through the RandomSource port.' },
        {
          object: 'crypto',
          property: 'getRandomValues',
          message: 'Draw randomness through the RandomSource port.',
        },
        {
          object: 'crypto',
          property: 'randomUUID',
          message: 'Draw randomness through the RandomSource port.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Read the time through the Clock port.',
        },
      ],
    },
  },
)
