import { createHash } from 'node:crypto'
import { readFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = dirname(fileURLToPath(import.meta.url))
const target = join(folder, 'dist', 'form-client.mjs')

const reference = join(folder, '..', 'pages', 'public', 'assets', 'reference')

/**
 * The package that carries the viewer's script for browsers, as a string. The viewer's own package has the same script,
 * but also some 290 packages that only its sources need.
 */
const viewer = join(folder, '..', '..', 'node_modules', '@scalar', 'fastify-api-reference')

/** The viewer's script. */
async function viewerScript() {
  const source = readFileSync(join(viewer, 'dist', 'index.js'), 'utf8')
  const [declaration] = /^var standalone_default = .*$/m.exec(source) ?? []
  if (declaration === undefined) throw new Error('The viewer is no longer where it was in its package.')
  const text = encodeURIComponent(`${declaration}\nexport default standalone_default`)
  const { default: script } = await import(`data:text/javascript,${text}`)
  return `/*! @scalar/api-reference, MIT licence: see LICENSE beside this file */\n${script}`
}

/** Bundles the client for browsers: one minified ES module for every browser of about the last three years. */
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
 * Builds the parts that browsers load: the form client, as a module that the Worker imports (its text and a hash of
 * it), and the reference page's files, in the folder of static assets.
 */
export async function buildBrowserParts() {
  const source = await bundleClient()
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  writeIfChanged(
    target,
    `export const source = ${JSON.stringify(source)}\nexport const hash = ${JSON.stringify(hash)}\n`,
  )
  writeIfChanged(join(reference, 'reference.js'), await bundled('reference.ts', 'iife'))
  writeIfChanged(join(reference, 'viewer.js'), await viewerScript())
  writeIfChanged(join(reference, 'LICENSE'), readFileSync(join(viewer, 'LICENSE')))
}

/** Writes a file only if its content has changed, so that file watchers are not triggered without need. */
export function writeIfChanged(path, content) {
  if (readText(path) !== String(content)) replaceFile(path, content)
}

/** Writes or replaces a file in one step, because several builds may run at the same time. */
function replaceFile(path, content) {
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
