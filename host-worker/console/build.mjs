import { readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeIfChanged } from '../browser/build.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const CONSOLE = 'app/main.tsx'
const MAILBOX = 'app/mailbox/mailbox.tsx'
const BEGUN = 'app/service/begun.ts'
const outdir = join(folder, '..', 'pages', 'public', 'assets', 'console')

/**
 * Bundles the console for browsers of about the last three years: its entry and that of the local mailbox, their style
 * sheets, and a module for each part.
 * Every name contains a hash of the content.
 * @returns the files, and for each page the names of those that it names itself
 */
export async function bundleConsole() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [CONSOLE, MAILBOX, BEGUN],
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    plugins: [declarationsPlugin],
    logLevel: 'warning',
  })
  const files = outputFiles.map(({ path, contents }) => ({ name: relative(outdir, path), contents }))
  const first = Object.entries(metafile.outputs).find(([, { inputs }]) => inputs[BEGUN] !== undefined)
  const entry = { ...entryOf(metafile, CONSOLE), first: nameOf(first[0]) }
  return { files, entry, mailboxEntry: entryOf(metafile, MAILBOX) }
}

function nameOf(output) {
  return relative(outdir, join(folder, output))
}

/** The files of the first view of a page. */
function entryOf({ outputs }, source) {
  const [[path, { cssBundle, imports }]] = Object.entries(outputs).filter(
    ([, { entryPoint }]) => entryPoint === source,
  )
  const needed = imports.filter(({ kind }) => kind === 'import-statement')
  return {
    script: nameOf(path),
    style: nameOf(cssBundle),
    modules: needed.map((one) => nameOf(one.path)),
  }
}

/**
 * Builds the console into the folder of static assets, and the module by which the Worker knows the names. Files of
 * earlier builds are removed last.
 */
export async function buildConsole() {
  const { files, entry, mailboxEntry } = await bundleConsole()
  for (const { name, contents } of files)
    writeIfChanged(join(outdir, name), new TextDecoder().decode(contents))
  const entries = Object.entries({ entry, mailboxEntry }).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
  )
  writeIfChanged(join(folder, 'dist', 'entry.mjs'), entries.join(''))
  const wanted = new Set(files.map(({ name }) => name))
  for (const name of readdirSync(outdir))
    if (/\.(js|css)$/.test(name) && !wanted.has(name)) rmSync(join(outdir, name), { force: true })
}

/**
 * What the console knows of the declarations of operations: the method and path of every operation of both interfaces,
 * and the fields of those of the operator interface, by id. The declarations themselves are not for a browser: they hold
 * every schema and every sentence of the documents.
 */
async function declared() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { operatorEndpoints } from '../../domain/operator-api.ts'
        export { operations } from '../../domain/tenant-api.ts'
        export { declaredFields } from './declared-fields.ts'`,
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const source = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  const { operatorEndpoints, operations, declaredFields } = await import(source)
  const all = [...operatorEndpoints, ...operations]
  return {
    operationTable: Object.fromEntries(all.map(({ id, method, path }) => [id, [method, path]])),
    operationFields: declaredFields(),
  }
}

/** Replaces the files of `app/service` that only declare the types of these tables. */
const declarationsPlugin = {
  name: 'declarations',
  setup(build) {
    let tables
    for (const [file, name] of [
      ['operation-table', 'operationTable'],
      ['operation-fields', 'operationFields'],
    ])
      build.onLoad({ filter: new RegExp(`[\\\\/]service[\\\\/]${file}\\.ts$`) }, async () => {
        tables ??= declared()
        return { contents: `export const ${name} = ${JSON.stringify((await tables)[name])}` }
      })
  },
}
