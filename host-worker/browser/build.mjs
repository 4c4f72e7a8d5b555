import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeIfChanged } from './write-if-changed.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const target = join(folder, 'dist', 'form-client.mjs')

const reference = join(folder, '..', 'pages', 'public', 'assets', 'reference')
const viewer = join(folder, '..', '..', 'node_modules', 'swagger-ui-dist')

/** The viewer's files, with the licences of their parts. */
const viewerFiles = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
]

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
  writeIfChanged(join(reference, 'reference.js'), await bundled('reference/reference.ts', 'iife'))
  for (const file of viewerFiles) writeIfChanged(join(reference, file), readFileSync(join(viewer, file)))
}
