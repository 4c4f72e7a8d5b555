/**
 * Builds what wrangler runs or uploads: the parts for browsers and the console, then the Worker. wrangler runs this
 * before it reads the Worker (`[build]` in wrangler.toml). Only for `wrangler dev` it builds the Worker of a developer's
 * machine. Whoever runs wrangler on another entry than `main`, so that a running `wrangler dev` does not meet it, names the
 * entry's folder in WORKER_FOLDER. It is plain JavaScript, because it runs on the Node version that runs wrangler.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
if (!existsSync(join(root, 'node_modules', 'esbuild'))) {
  process.stderr.write('The dependencies are missing: run npm ci first.\n')
  process.exit(1)
}

const [{ buildBrowserParts }, { buildConsole }] = await Promise.all([
  import('../browser/build.mjs'),
  import('../console/build.mjs'),
])
const { bundleWorker, DEPLOYED, LOCAL, outdir } = await import('./bundle-worker.mjs')
const { writeIfChanged } = await import('../browser/build.mjs')

await Promise.all([buildBrowserParts(), buildConsole()])
const { files } = await bundleWorker(process.env.WRANGLER_COMMAND === 'dev' ? LOCAL : DEPLOYED)
const folder = process.env.WORKER_FOLDER ?? outdir
// The entry is written last, so that every reader of it finds the modules that it names.
for (const { path, contents } of files.toReversed()) writeIfChanged(join(folder, path), contents)
removeAllBut(new Set(files.map(({ path }) => path)))

/** Removes modules of earlier builds: wrangler uploads every module in the folder. */
function removeAllBut(wanted) {
  const found = readdirSync(folder, { recursive: true }).map((path) => path.replaceAll('\\', '/'))
  for (const path of found) if (/\.js(\.map)?$/.test(path) && !wanted.has(path)) rmSync(join(folder, path))
}
