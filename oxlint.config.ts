import { defineConfig } from 'oxlint'

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

/** Calls that would do the same. */
const ambientCalls = [
  { object: 'Date', property: 'now', message: 'Read the time through the Clock port.' },
  { object: 'Math', property: 'random', message: 'Draw randomness through the RandomSource port.' },
  {
    object: 'crypto',
    property: 'getRandomValues',
    message: 'Draw randomness through the RandomSource port.',
  },
  { object: 'crypto', property: 'randomUUID', message: 'Draw randomness through the RandomSource port.' },
]

/** Rules that find mistakes through types, besides those of the category `correctness`. */
const throughTypes = [
  'no-confusing-void-expression',
  'no-deprecated',
  'no-generated-empty-object-type',
  'no-misused-promises',
  'no-mixed-enums',
  'no-unnecessary-boolean-literal-compare',
  'no-unnecessary-condition',
  'no-unnecessary-template-expression',
  'no-unnecessary-type-arguments',
  'no-unnecessary-type-assertion',
  'no-unnecessary-type-conversion',
  'no-unnecessary-type-parameters',
  'no-unsafe-argument',
  'no-unsafe-assignment',
  'no-unsafe-call',
  'no-unsafe-enum-assignment',
  'no-unsafe-enum-comparison',
  'no-unsafe-member-access',
  'no-unsafe-return',
  'only-throw-error',
  'prefer-promise-reject-errors',
  'prefer-reduce-type-parameter',
  'prefer-return-this-type',
  'related-getter-setter-pairs',
  'switch-exhaustiveness-check',
  'use-unknown-in-catch-callback-variable',
]

/** Rules that look at one file by itself, besides those of the category. */
const withoutTypes = [
  'consistent-type-imports',
  'no-dynamic-delete',
  'no-empty-object-type',
  'no-explicit-any',
  'no-extraneous-class',
  'no-invalid-void-type',
  'no-namespace',
  'no-non-null-asserted-nullish-coalescing',
  'no-non-null-assertion',
  'no-require-imports',
  'no-unnecessary-type-constraint',
  'no-unsafe-function-type',
  'prefer-literal-enum-member',
  'unified-signatures',
]

export default defineConfig({
  plugins: ['eslint', 'typescript', 'oxc', 'vitest'],
  jsPlugins: ['./.config/clock-rule.js'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: [
    // Plain JavaScript has no types to check.
    '**/*.{js,cjs,mjs}',
    // The folder's dependencies and types exist only after test/ci/client/client.sh has run, which also compiles the folder.
    'test/client/**',
  ],
  categories: { correctness: 'error' },
  rules: {
    ...Object.fromEntries([...throughTypes, ...withoutTypes].map((rule) => [`typescript/${rule}`, 'error'])),
    'no-array-constructor': 'error',
    'no-useless-constructor': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/restrict-plus-operands': [
      'error',
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    // A number in a template literal has one obvious text form, and wrapping each in String() makes the sentence hard to
    // read.
    'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    // Names are sorted by their code units, which is what sort() does by itself.
    'typescript/require-array-sort-compare': 'off',
    // Texts of strangers are searched for control characters.
    'no-control-regex': 'off',
    'vitest/no-identical-title': 'error',
    // Vitest fails each test that asserts nothing when it runs, and then sees the expectations in helpers too.
    'vitest/expect-expect': 'off',
    // What a row of a table says decides which answer is expected. A test that meets no expectation fails anyway.
    'vitest/no-conditional-expect': 'off',
    'vitest/no-conditional-tests': 'off',
    // A hook expects that what it prepares has succeeded.
    'vitest/no-standalone-expect': 'off',
    // A promise of an expectation is awaited after what makes it settle; `no-floating-promises` finds forgotten ones.
    'vitest/valid-expect': 'off',
    // A title may be a constant, and mocks get their types from where they are used.
    'vitest/valid-title': 'off',
    'vitest/require-mock-type-parameters': 'off',
  },
  overrides: [
    {
      files: ['adapters/sqlite/**/*.ts', 'adapters/pos-*/**/*.ts'],
      // Kysely makes its expression builder to be taken apart: `({ eb, ref }) => …`. No member of it uses `this`.
      rules: { 'typescript/unbound-method': 'off' },
    },
    {
      files: ['domain/**/*.ts'],
      excludeFiles: ['**/*.test.ts'],
      rules: {
        'no-restricted-globals': ['error', ...ambientWorld],
        'no-restricted-properties': ['error', ...ambientCalls],
        'core/no-present-date': 'error',
      },
    },
  ],
})
