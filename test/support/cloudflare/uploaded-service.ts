import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { placeDatabase } from '../databases/d1-files.ts'
import { runtimeFiles } from '../services/runtime-files.ts'
import type { CloudflareAccount, Script } from './account.ts'

/** What was uploaded, served on the real runtime with the databases of the account as they were then. */
export interface UploadedService {
  /** Answers a request to any of its addresses. */
  answer(url: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Serves the present version of a Worker, with the bindings that its upload described. */
export async function serveUploaded(account: CloudflareAccount, script: Script): Promise<UploadedService> {
  const files = runtimeFiles('uploaded-service')
  const [version] = script.history
  if (version === undefined) throw new Error('Nothing was uploaded')
  const { modules, metadata } = version
  const { bindings, main_module: mainModule, compatibility_date: compatibilityDate } = metadata
  const ofType = (type: string) => bindings.filter((binding) => binding.type === type)
  for (const { id } of ofType('d1')) {
    const database = [...account.databases.values()].find(({ uuid }) => uuid === id)
    if (database !== undefined) placeDatabase(files, database.uuid, database.sqlite.serialize())
  }
  const texts = ofType('plain_text').map(({ name, text = '' }) => [name, text] as const)
  const sorted = [...modules].sort(
    ([left], [right]) => Number(right === mainModule) - Number(left === mainModule),
  )
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: files,
      cf: false,
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: script.name,
          compatibilityDate,
          modules: sorted.map(([path, contents]) => ({ type: 'ESModule' as const, path, contents })),
          bindings: { ...Object.fromEntries(texts), ...Object.fromEntries(script.secrets) },
          d1Databases: Object.fromEntries(ofType('d1').map(({ name, id = '' }) => [name, id])),
          r2Buckets: ofType('r2_bucket').map(({ name }) => name),
          queueProducers: Object.fromEntries(ofType('queue').map(({ name }) => [name, name.toLowerCase()])),
          durableObjects: Object.fromEntries(
            ofType('durable_object_namespace').map(({ name, class_name: className = '' }) => [
              name,
              { className, useSQLite: true },
            ]),
          ),
        },
      ],
    }),
  )
  return {
    answer: async (url, init) => {
      const response = await runtime.dispatchFetch(url, init as Parameters<typeof runtime.dispatchFetch>[1])
      return new Response(await response.arrayBuffer(), {
        status: response.status,
        headers: Object.fromEntries(response.headers),
      })
    },
    close: () => runtime.dispose(),
  }
}
