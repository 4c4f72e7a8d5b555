/** The invariants of the code map that concern imports. `npm run boundaries` checks them. */

/** Tests and what only tests use may reach further than the code they are about. */
const TESTS = '\\.test(-d)?\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'ports-import-nothing',
      // A port can be implemented by someone who has only the ports to read.
      comment: 'Ports import nothing but each other.',
      severity: 'error',
      from: { path: '^ports/' },
      to: { pathNot: '^ports/' },
    },
    {
      name: 'domain-is-portable',
      // What runs anywhere must not know where it runs; pure libraries are part of the language, so to speak.
      comment: 'The domain imports ports, itself, valibot, libphonenumber-js/max and @noble/ciphers.',
      severity: 'error',
      from: { path: '^domain/', pathNot: TESTS },
      to: {
        pathNot: [
          '^(ports|domain)/',
          '^node_modules/valibot/',
          '^node_modules/@valibot/to-json-schema/',
          '^node_modules/libphonenumber-js/max/',
          '^node_modules/@noble/ciphers/',
        ],
      },
    },
    {
      name: 'adapters-look-inward',
      // An adapter translates between one port and one technology; the host decides where it runs.
      comment: 'Adapters import ports, the domain and their own libraries, nothing of the host or the tests.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: TESTS },
      to: { path: '^(host-worker|test)/' },
    },
    {
      name: 'adapters-are-strangers',
      // Two adapters that know each other can no longer be exchanged one by one.
      comment: 'An adapter never imports another adapter.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: { path: '^adapters/', pathNot: '^adapters/$1/' },
    },
    {
      name: 'http-is-any-host',
      // The HTTP side is served from plain Node too, with other adapters.
      comment: 'host-worker/http knows no adapter, no Node module and no platform type.',
      severity: 'error',
      from: { path: '^host-worker/http/', pathNot: TESTS },
      to: { pathNot: '^(ports|domain|host-worker/http)/|^node_modules/itty-router/' },
    },
    {
      name: 'worker-without-tools',
      // The operator and the local start need Node, files and wrangler, none of which a Worker has.
      comment: 'The Worker imports neither the operator nor the local start.',
      severity: 'error',
      from: { path: '^host-worker/', pathNot: ['^host-worker/(dev|operator)/', TESTS] },
      to: { path: '^host-worker/(dev|operator)/' },
    },
    {
      name: 'sql-in-one-place',
      // What is peculiar to SQLite stays where a second storage would replace it.
      comment: 'Kysely is used by the storage adapter alone.',
      severity: 'error',
      from: { pathNot: '^adapters/d1/' },
      to: { path: '^node_modules/kysely' },
    },
    {
      name: 'router-in-one-place',
      // Handlers take plain requests and give plain replies, so that the router can be exchanged.
      comment: 'itty-router is used by the HTTP side alone.',
      severity: 'error',
      from: { pathNot: '^host-worker/http/' },
      to: { path: '^node_modules/itty-router/' },
    },
    {
      name: 'no-test-code-in-the-product',
      // Doubles and fixtures must not ship.
      comment: 'Nothing but tests imports test/.',
      severity: 'error',
      from: { path: '^(ports|domain|adapters|host-worker)/', pathNot: TESTS },
      to: { path: '^test/' },
    },
    {
      name: 'no-cycles',
      // Files that need each other are one file that pretends not to be. Types count too.
      comment: 'Imports have no cycles.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'browser-client-is-small',
      // Every visitor of every form loads it, and no browser has a platform's or a library's types behind it.
      comment: 'The browser client imports itself and the parts of domain/forms that run anywhere.',
      severity: 'error',
      from: { path: '^host-worker/browser/client/' },
      to: { pathNot: '^(host-worker/browser/client|domain/(forms|text))/' },
    },
    {
      name: 'no-missing',
      // An import that cannot be resolved escapes every other rule here.
      comment: 'Every import resolves.',
      severity: 'error',
      from: {},
      // Only a build puts the browser client there, and wrangler builds it by itself.
      to: { couldNotResolve: true, pathNot: 'browser/dist/form-client\\.mjs$' },
    },
  ],
  options: {
    // A project of its own: what it imports is installed by test/ci/client.sh.
    exclude: { path: '^test/client/' },
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mts', '.mjs', '.js', '.cjs', '.d.ts'],
    },
  },
}
