import { dirname, join, relative, basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { guidePages } from './guide-pages.mjs'
import { localTexts } from './local-texts.mjs'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/**
 * The folder of the built files (`main` in wrangler.toml). It is outside the folders of the sources, because wrangler
 * watches those.
 */
export const outdir = join(root, '.wrangler', 'worker')
const ENTRY = 'worker.js'

/** The Worker that is deployed, and that of a developer's machine. */
export const DEPLOYED = 'host-worker/worker.ts'
export const LOCAL = 'host-worker/dev/worker.ts'

/**
 * Bundles the Worker: `worker.js` with the code for every request, and a module for each part that is imported on
 * demand. wrangler's own bundler would make a single module of everything, which every isolate would evaluate at its
 * start.
 * @param source the entry
 */
export async function bundleWorker(source = DEPLOYED) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { worker: source },
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    // On a developer's machine it is built at each start, which is faster without these, and read as it is.
    minify: source === DEPLOYED,
    sourcemap: source === DEPLOYED,
    sourcesContent: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    external: ['cloudflare:workers'],
    plugins: [kyselyParts, phoneMetadata, migrationTexts(), guidePages, localTexts],
    logLevel: 'warning',
  })
  const files = outputFiles.map(({ path, contents }) => ({ path: slashed(relative(outdir, path)), contents }))
  const entryFirst = files.toSorted(
    (left, right) => Number(right.path === ENTRY) - Number(left.path === ENTRY),
  )
  return { files: entryFirst, modules: modulesOf(metafile) }
}

/** The modules by path, each with those that it imports statically. */
function modulesOf({ outputs }) {
  const pathOf = (output) => slashed(relative(outdir, join(root, output)))
  const modules = Object.entries(outputs).filter(([output]) => output.endsWith('.js'))
  return new Map(
    modules.map(([output, { entryPoint, inputs, imports }]) => {
      const loads = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true)
      return [
        pathOf(output),
        {
          source: entryPoint === undefined ? null : slashed(entryPoint),
          inputs: Object.keys(inputs).map(slashed),
          loads: loads.map(({ path }) => pathOf(path)),
        },
      ]
    }),
  )
}

/**
 * The paths of the modules that are loaded and evaluated before the first request: the entry and its static imports.
 */
export function loadedFirst(modules) {
  return loadedWith(modules, ENTRY)
}

/** The paths of the modules that are loaded together with one module: the module and its static imports. */
export function loadedWith(modules, path) {
  const loaded = new Set([path])
  for (const each of loaded) for (const needed of modules.get(each)?.loads ?? []) loaded.add(needed)
  return loaded
}

function slashed(path) {
  return path.replaceAll('\\', '/')
}

/** What esbuild does differently for the Worker than for any other program. */

/**
 * Leaves these parts of Kysely out of the Worker. The build fails when Kysely imports another name from one of them; the
 * test of what a request loads fails when a part has moved.
 */
const kyselyParts = {
  name: 'kysely-parts',
  setup(build) {
    build.onLoad({ filter: /[\\/]kysely[\\/]dist[\\/]/ }, ({ path }) => {
      const [, part] = path.replaceAll('\\', '/').split('/kysely/dist/')
      if (part === 'query-executor/noop-query-executor.js') return { contents: NO_EXECUTOR }
      const names = UNREACHED[part]
      return names === undefined ? undefined : { contents: names.map(stub).join('\n') }
    })
  },
}

const stub = (name) =>
  `export class ${name} { constructor() { throw new Error('The Worker is built without ${name} of Kysely') } }`

/**
 * In the place of Kysely's executor of a builder that runs nothing: all that building a statement asks of it. The one of
 * Kysely is made from the class that runs statements, of which only this method is ever reached here.
 */
const NO_EXECUTOR = 'export const NOOP_QUERY_EXECUTOR = { plugins: [], transformQuery: (node) => node }'

/**
 * The parts of Kysely that its query builder brings along and that this service never reaches: schemas, SQL's `merge`,
 * paths in JSON, and the inspection of a database. They are a quarter of what it is made of, and every isolate that
 * reaches a database loads it. Each is replaced by classes that cannot be made.
 */
const UNREACHED = {
  'query-builder/json-path-builder.js': ['JSONPathBuilder', 'TraversedJSONPathBuilder'],
  'plugin/with-schema/with-schema-plugin.js': ['WithSchemaPlugin'],
  'query-builder/merge-query-builder.js': ['MergeQueryBuilder'],
  'dialect/sqlite/sqlite-introspector.js': ['SqliteIntrospector'],
}

/**
 * Replaces the two modules of `adapters/durable-object` that read the migrations from files, because a Worker has no
 * files. One is replaced by the texts of the migrations, which are loaded when an object needs them; the other by the
 * name of the last one.
 * @param further migrations to add after those of the folder, as a later version of the service would have
 */
export function migrationTexts(further = []) {
  const migrations = () => [...readMigrations(), ...further]
  return {
    name: 'migration-texts',
    setup(build) {
      build.onLoad({ filter: /[\\/]durable-object[\\/]object[\\/]migration-texts\.ts$/ }, () => ({
        contents: `export const migrationTexts = () => ${JSON.stringify(migrations())}`,
      }))
      build.onLoad({ filter: /[\\/]durable-object[\\/]object[\\/]newest-migration\.ts$/ }, () => ({
        contents: `export const NEWEST_MIGRATION = ${JSON.stringify(migrations().at(-1)?.name ?? '')}`,
      }))
    },
  }
}

const folder = join(root, 'adapters', 'sqlite', 'migrations')

/** The migrations of the service's database, with those of `retired/`, sorted by name. */
function readMigrations() {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.sql'))
  const files = paths.map((path) => ({ name: basename(path), sql: readFileSync(join(folder, path), 'utf8') }))
  return files.sort((left, right) => (left.name < right.name ? -1 : 1))
}

/**
 * Replaces `domain/text/phone-metadata.ts`. As an object in the source code, the metadata would be a quarter of the
 * code that every isolate compiles at its start. As text it costs almost nothing until it is parsed.
 */
const phoneMetadata = {
  name: 'phone-metadata',
  setup(build) {
    build.onLoad({ filter: /[\\/]domain[\\/]text[\\/]phone-metadata\.ts$/ }, () => ({
      contents: [
        `const rules = ${JSON.stringify(phoneRules())}`,
        'let metadata',
        'export const phoneMetadata = () => (metadata ??= JSON.parse(rules))',
      ].join('\n'),
    }))
  },
}

/**
 * The phone metadata as JSON, without the rules for formatting. They are not needed, because the service only checks
 * whether a number is valid and computes its E.164 form.
 */
export function phoneRules() {
  const path = createRequire(import.meta.url).resolve('libphonenumber-js/max/metadata')
  const metadata = JSON.parse(readFileSync(path, 'utf8'))
  for (const plans of [metadata.countries, metadata.nonGeographic]) {
    for (const plan of Object.values(plans)) plan[FORMATS] = NONE
  }
  return JSON.stringify(metadata)
}

/** The index of the formats in the library's list for a country, and the value there for a country without formats. */
const FORMATS = 4
const NONE = 0
