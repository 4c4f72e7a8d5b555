import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const domain = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'domain')

/**
 * The method and path of every operation of both interfaces, by id, from their declarations. The declarations themselves
 * are not for a browser: they hold every schema and every sentence of the documents.
 */
async function operationTable() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { operatorEndpoints } from './operator-api.ts'
        export { handledEndpoints } from './catalog.ts'`,
      resolveDir: domain,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const source = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  const { operatorEndpoints, handledEndpoints } = await import(source)
  const all = [...operatorEndpoints, ...handledEndpoints]
  return Object.fromEntries(all.map(({ id, method, path }) => [id, [method, path]]))
}

/** Replaces `app/service/operation-table.ts`, which only declares the table's type. */
export const operationTablePlugin = {
  name: 'operation-table',
  setup(build) {
    build.onLoad({ filter: /[\\/]service[\\/]operation-table\.ts$/ }, async () => ({
      contents: `export const operationTable = ${JSON.stringify(await operationTable())}`,
    }))
  },
}
