import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { builtOfSameSources } from './build-cache.mjs'
import { migrationTexts } from './migration-texts.mjs'
import { phoneMetadata } from './phone-metadata.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** Where the files belong (`main` in wrangler.toml). wrangler watches the folders of the sources, so it is none of them. */
export const outdir = join(root, '.wrangler', 'worker')
const ENTRY = 'worker.js'

const SERVICE = 'host-worker/worker.ts'
/** Everything that the Worker of the service is made from. */
const place = {
  root,
  sources: ['adapters', 'domain', 'host-worker', 'ports', 'package-lock.json', 'tsconfig.json'],
  folder: join(root, 'node_modules', '.cache', 'worker'),
}

/**
 * Bundles the Worker: `worker.js` with what every request needs, and a module for each part that is imported only when
 * a request asks for it. wrangler's own bundler makes one module of everything, which every isolate would then
 * evaluate when it starts.
 * @param source where to begin, when another Worker is to be made of the same parts
 */
export async function bundleWorker(source = SERVICE) {
  return source === SERVICE ? builtOfSameSources(place, () => bundle(source)) : bundle(source)
}

async function bundle(source) {
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
    minify: true,
    sourcemap: true,
    sourcesContent: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    external: ['cloudflare:workers'],
    plugins: [phoneMetadata, migrationTexts()],
    logLevel: 'warning',
  })
  const files = outputFiles.map(({ path, contents }) => ({ path: slashed(relative(outdir, path)), contents }))
  const entryFirst = files.toSorted(
    (left, right) => Number(right.path === ENTRY) - Number(left.path === ENTRY),
  )
  return { files: entryFirst, modules: modulesOf(metafile) }
}

/** The modules by path, with what each of them loads at once. */
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

/** Paths of the modules that are loaded and evaluated before the first request: the entry, and what it imports. */
export function loadedFirst(modules) {
  return loadedWith(modules, ENTRY)
}

/** Paths of the modules that are loaded when one of them is: it, and what it imports. */
export function loadedWith(modules, path) {
  const loaded = new Set([path])
  for (const each of loaded) for (const needed of modules.get(each)?.loads ?? []) loaded.add(needed)
  return loaded
}

function slashed(path) {
  return path.replaceAll('\\', '/')
}
