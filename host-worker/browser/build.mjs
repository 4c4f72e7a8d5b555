/**
 * Builds what browsers load: the form client, into a module that the Worker imports (its text and a hash of it), and
 * the reference page's files, into the folder of static assets. wrangler runs this before it bundles the Worker
 * (`[build]` in wrangler.toml), so a fresh clone needs no other step. Plain JavaScript, because it runs on whatever
 * Node runs wrangler.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const folder = dirname(fileURLToPath(import.meta.url))
const target = join(folder, 'dist', 'form-client.mjs')

const reference = join(folder, '..', 'pages', 'public', 'assets', 'reference')
const viewer = join(folder, '..', '..', 'node_modules', 'swagger-ui-dist')

/** The viewer's files, with the licences of what is in them. */
const viewerFiles = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
]

/** The client as browsers load it: one minified ES module for every browser of the last three years or so. */
export async function bundleClient() {
  return bundled('form-client.ts', 'esm')
}

async function bundled(entry, format) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'client', entry)],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
  })
  return outputFiles[0].text
}

/**
 * Replaces files in one step, and only those that changed: builds may run at the same time, and file watchers must not
 * be triggered without need.
 */
function writeIfChanged(path, content) {
  if (readText(path) === String(content)) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, content)
  renameSync(`${path}.${process.pid}`, path)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const source = await bundleClient()
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  writeIfChanged(
    target,
    `export const source = ${JSON.stringify(source)}\nexport const hash = ${JSON.stringify(hash)}\n`,
  )
  writeIfChanged(join(reference, 'reference.js'), await bundled('reference/reference.ts', 'iife'))
  for (const file of viewerFiles) writeIfChanged(join(reference, file), readFileSync(join(viewer, file)))
}
