import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { guidePages } from './guide-pages.mjs'
import { kyselyParts, migrationTexts, phoneMetadata } from './plugins.mjs'
import { localTexts } from './local-texts.mjs'

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
