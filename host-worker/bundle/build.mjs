/**
 * Builds everything that a deployment uploads: the parts for browsers and the console, then the Worker. wrangler runs this before it
 * reads the Worker (`[build]` in wrangler.toml), so a fresh clone needs no other step. It is plain JavaScript, because
 * it runs on the Node version that runs wrangler.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildBrowserParts } from '../browser/build.mjs'
import { buildConsole } from '../console/build.mjs'
import { writeIfChanged } from '../browser/write-if-changed.mjs'
import { bundleWorker, outdir } from './bundle-worker.mjs'

await Promise.all([buildBrowserParts(), buildConsole()])
const { files } = await bundleWorker()
// The entry is written last, so that every reader of it finds the modules that it names.
for (const { path, contents } of files.toReversed()) writeIfChanged(join(outdir, path), contents)
removeAllBut(new Set(files.map(({ path }) => path)))

/** Removes modules of earlier builds: wrangler uploads every module in the folder. */
function removeAllBut(wanted) {
  const found = readdirSync(outdir, { recursive: true }).map((path) => path.replaceAll('\\', '/'))
  for (const path of found) if (/\.js(\.map)?$/.test(path) && !wanted.has(path)) rmSync(join(outdir, path))
}
