/** The invariants of the code map that concern imports. `npm run boundaries` checks them. */

/** Tests and their helpers may import more than the code that they test. */
const TESTS = '\\.test(-d)?\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'ports-import-nothing',
      // A port can be implemented by someone who has only the ports to read.
      comment: 'Ports import nothing but each other.',
      severity: 'error',
      from: { path: '^ports/', pathNot: TESTS },
      to: { pathNot: '^ports/' },
    },
    {
      name: 'domain-is-portable',
      // The domain must run on any platform, so it must not import one. Pure libraries depend on none.
      comment:
        'The domain imports ports, itself, valibot, libphonenumber-js, fastest-levenshtein and @noble/ciphers.',
      severity: 'error',
      from: { path: '^domain/', pathNot: TESTS },
      to: {
        pathNot: [
          '^(ports|domain)/',
          '^node_modules/valibot/',
          '^node_modules/@valibot/to-json-schema/',
          '^node_modules/libphonenumber-js/(core/|metadata\\.max\\.json)',
          '^node_modules/@noble/ciphers/',
          '^node_modules/fastest-levenshtein/',
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
      // Two adapters that import each other can no longer be exchanged one by one. Two rooms connect to nothing by
      // themselves: adapters/sql is what every adapter that writes SQL would otherwise repeat, and adapters/sqlite what
      // every adapter on a SQLite database would.
      comment:
        'An adapter never imports another adapter, but for the rooms adapters/sql and adapters/sqlite.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: TESTS },
      to: { path: '^adapters/', pathNot: '^adapters/($1|sql|sqlite)/' },
    },
    {
      name: 'sqlite-is-for-sqlite',
      // The gateway writes the SQL of other databases: what it shares with this service's own is in adapters/sql.
      comment: 'adapters/sqlite is imported by adapters whose database is SQLite.',
      severity: 'error',
      from: {
        path: '^adapters/',
        pathNot: [TESTS, '^adapters/(sqlite|d1|durable-object|node-sqlite|local|pos-legacy-vendor)/'],
      },
      to: { path: '^adapters/sqlite/' },
    },
    {
      name: 'sqlite-runs-anywhere',
      // Every platform that runs SQLite gives this folder an executor. A platform's type here would tie all of them to
      // that platform.
      comment: 'adapters/sqlite and adapters/sql import ports, the domain and the query builder.',
      severity: 'error',
      // The tool that compares the migrations with the records is not part of the storage: it reads files.
      from: {
        path: '^adapters/(sql|sqlite)/',
        pathNot: [TESTS, '^adapters/sqlite/schema/(actual|print-migration)\\.ts$'],
      },
      to: { pathNot: '^(ports|domain|adapters/(sql|sqlite)|node_modules/kysely)/' },
    },
    {
      name: 'adapters-are-picked-in-one-place',
      // Only one folder decides what the service runs on, so that it can be read and changed there. Three exceptions:
      // imports of types choose nothing; env needs the addresses of providers, which their adapters define; the tools
      // assemble their own parts, without a Worker.
      comment: 'Of the Worker, host-worker/wiring alone imports adapters (env: their constants).',
      severity: 'error',
      from: {
        path: '^host-worker/',
        pathNot: ['^host-worker/(wiring|env|local|dev|operator)/', TESTS],
      },
      to: { path: '^adapters/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-runtime-in-one-file',
      // What imports the runtime's own module runs nowhere else, so no unit test can load it. Everything that can be
      // decided without the runtime is therefore outside of that file.
      comment: 'The classes of the Workers runtime are extended in one file.',
      severity: 'error',
      from: { pathNot: '^adapters/durable-object/object/family-database\\.ts$|^test/bench/' },
      to: { path: '^cloudflare:' },
    },
    {
      name: 'http-is-any-host',
      // The HTTP side is served from plain Node too, with other adapters.
      comment: 'host-worker/http and system.ts know no adapter, no Node module and no platform type.',
      severity: 'error',
      from: { path: '^host-worker/(http/|system\\.ts$)', pathNot: TESTS },
      to: {
        pathNot: '^(ports|domain|host-worker/http)/|^host-worker/system\\.ts$|^node_modules/itty-router/',
      },
    },
    {
      name: 'worker-without-tools',
      // The operator, the local start and the deployment need Node, files and wrangler, none of which a Worker has.
      comment: 'The Worker imports neither the operator nor the local start nor the deployment.',
      severity: 'error',
      from: { path: '^host-worker/', pathNot: ['^host-worker/(launch|local|dev|operator|deploy)/', TESTS] },
      to: { path: '^host-worker/(launch|local|dev|operator|deploy)/' },
    },
    {
      name: 'local-below-operator-and-dev',
      // `operator` and `dev` both use `local`, which holds what they know about a state directory. It must not import
      // either of them.
      comment: 'host-worker/launch and host-worker/local import neither the operator nor the local start.',
      severity: 'error',
      from: { path: '^host-worker/(launch|local)/', pathNot: TESTS },
      to: { path: '^host-worker/(dev|operator|deploy)/' },
    },
    {
      name: 'sql-in-one-place',
      // Statements are written in one place and run by an executor, so that none escapes the batch that it belongs to.
      comment: 'SQL is written with adapters/sqlite/statement by the SQLite room alone.',
      severity: 'error',
      from: { pathNot: ['^adapters/sqlite/', TESTS, '^test/'] },
      to: { path: '^adapters/sqlite/statement/compiler\\.ts$' },
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
      // Files that import each other cannot be understood or changed separately. Imports of types count too.
      comment: 'Imports have no cycles.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'browser-client-is-small',
      // Every visitor of a form loads this code, and a browser provides neither the platform's types nor the libraries.
      // So it may import little.
      comment: 'The browser client imports itself, domain/forms/language and domain/text.',
      severity: 'error',
      from: { path: '^host-worker/browser/client/' },
      to: { pathNot: '^(host-worker/browser/client|domain/(forms/language|text))/' },
    },
    {
      name: 'console-is-a-client',
      // Whatever the console shows, a program can get: it reaches the service by its interfaces alone. Types of their
      // declarations cost a browser nothing; their schemas would.
      comment:
        'The console imports itself, its libraries, what the domain has for browsers, and types of the domain.',
      severity: 'error',
      from: { path: '^host-worker/console/app/' },
      to: {
        pathNot: [
          '^host-worker/console/app/',
          '^domain/(forms/language|text|imports/file)/',
          '^domain/forms/(form-page|message-text|page-path|shown-answers)\\.ts$',
          '^domain/(limits/(limits|waiting)|organizations/write-archive|spam/reasons)\.ts$',
          '^node_modules/(preact|wouter-preact|jsonc-parser|lean-qr|@noble/hashes|@tanstack/virtual-core)/',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-types-of-the-domain',
      comment:
        'The console takes types from nothing but the domain, the ports, the form client and its libraries.',
      severity: 'error',
      from: { path: '^host-worker/console/app/' },
      to: {
        path: '^(adapters|host-worker|test)/',
        pathNot: '^host-worker/(console/app|browser/client)/',
      },
    },
    {
      name: 'files-anywhere',
      // The console in a browser sends files with the code of the command line.
      comment: 'What reads and sends the file of an import knows no schema.',
      severity: 'error',
      from: { path: '^domain/imports/file/', pathNot: TESTS },
      to: {
        pathNot: '^domain/(imports/file|text)/|^domain/limits/limits\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-missing',
      // An import that cannot be resolved escapes every other rule here.
      comment: 'Every import resolves.',
      severity: 'error',
      from: {},
      // Only a build puts the browser client there, and wrangler builds it by itself. The Workers runtime has a module
      // of its own, which `the-runtime-in-one-file` keeps in its place.
      to: { couldNotResolve: true, pathNot: ['dist/(form-client|entry)\\.mjs$', '^cloudflare:workers$'] },
    },
  ],
  options: {
    // A project of its own: what it imports is installed by test/ci/client/client.sh.
    // The files of the reference are built, and the viewer's script names modules that are within it.
    exclude: { path: ['^test/client/', '^host-worker/pages/public/assets/(console|reference)/'] },
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.cjs', '.d.ts'],
    },
  },
}
