import { rmSync } from 'node:fs'
import { Miniflare } from 'miniflare'
import { databasesOf, type D1Place, type LocalD1 } from './d1.ts'
import { DATABASE_WORKER } from './database-worker.ts'
import { migratedImage } from './migrated-image.ts'
import { runtimeFiles } from '../services/runtime-files.ts'

/** A runtime with local D1 databases. */
export interface D1Runtime {
  readonly place: D1Place
  /** Stops the runtime and deletes its databases. */
  dispose(): Promise<void>
}

/**
 * Starts a runtime with `count` databases, each a copy of the image. Default: an image with nothing but the service's
 * migrations. Tests usually share a runtime instead (shared-d1.ts).
 */
export async function openLocalD1(count = 1, image = migratedImage()): Promise<LocalD1> {
  const runtime = await startD1Runtime(count)
  const databases = databasesOf(runtime.place, image)
  return {
    ...databases,
    async dispose() {
      await databases.dispose()
      await runtime.dispose()
    },
  }
}

/** Starts a runtime with so many databases, which have no image yet. */
export async function startD1Runtime(count: number): Promise<D1Runtime> {
  const bindings = Array.from({ length: count }, (_, index) => `DB_${index}`)
  const files = runtimeFiles('d1')
  const runtime = new Miniflare({
    resourcePersistencePath: files,
    workers: [
      {
        config: {
          name: 'storage-test',
          compatibilityDate: '2026-01-01',
          manifest: {
            mainModule: 'index.mjs',
            modules: { 'index.mjs': { type: 'esm', contents: DATABASE_WORKER } },
          },
          env: Object.fromEntries(bindings.map((binding) => [binding, { type: 'd1', id: binding }])),
        },
        dev: { unsafeDirectSockets: [{}] },
      },
    ],
  })
  return {
    place: { url: (await runtime.unsafeGetDirectURL()).href, files, bindings },
    async dispose() {
      await runtime.dispose()
      rmSync(files, { recursive: true, force: true })
    },
  }
}
