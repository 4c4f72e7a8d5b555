import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Migration } from '../../../adapters/sqlite/migration.ts'
import type { FamilyNamespace, FamilyObject } from '../../../adapters/durable-object/index.ts'
import { migrationTexts } from '../../../host-worker/bundle/bundle-worker.mjs'
import { projectRoot } from '../../../host-worker/local/project.ts'
import type { OutboxRef } from '../../../ports/outbox.ts'
import { builtOnce } from '../services/built-worker.ts'
import { placeObject } from '../databases/d1-files.ts'
import { postJson } from '../databases/database-worker.ts'
import type { ObjectRequest } from './object-worker.ts'
import { runtimeFiles } from '../services/runtime-files.ts'

const WORKER = 'objects'
const CLASS = 'FamilyDatabase'

/** The methods of an object for tests, in addition to those for the service. */
export interface TestedObject extends FamilyObject {
  batchAndAbort(...given: Parameters<FamilyObject['batch']>): Promise<void>
  linger(durationMs: number): Promise<void>
  abort(): Promise<void>
  alarmAtMs(): Promise<number | null>
}

/** Objects on the real runtime. */
export interface ObjectRuntime {
  readonly namespace: FamilyNamespace
  object(name: string): TestedObject
  /** Writes a database to the place where an object that has not been called yet will look for its own. */
  place(name: string, image: Uint8Array): void
  /** The entries that all objects have handed over. */
  handedOver(): Promise<readonly OutboxRef[]>
  /** How many instances of each object have been started. */
  instances(): Promise<Readonly<Record<string, number>>>
  /** Evicts an object from memory, as the platform does with an idle one. */
  evict(name: string): Promise<void>
  dispose(): Promise<void>
}

/**
 * The Worker in object-worker.ts, as one module for the runtime. All files of a run share that of the present version;
 * a later version of the service has further migrations.
 */
export async function objectWorker(further: readonly Migration[] = []): Promise<string> {
  if (further.length > 0) return bundled(further)
  const shared = await builtOnce('object-worker.mjs', async (unfinished) => {
    writeFileSync(unfinished, await bundled([]))
  })
  return readFileSync(shared, 'utf8')
}

async function bundled(further: readonly Migration[]): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: ['test/support/scratch/object-worker.ts'],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['cloudflare:workers'],
    plugins: [migrationTexts(further)],
    write: false,
    logLevel: 'warning',
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * Starts a runtime with objects.
 * @param files the folder of their databases, which an earlier runtime may have used and which is kept; default: a
 *   folder that is deleted with the runtime
 */
export async function startObjectRuntime(script: string, files?: string): Promise<ObjectRuntime> {
  if (files !== undefined) return startIn(files, script)
  const scratch = runtimeFiles('objects')
  const runtime = await startIn(scratch, script)
  return {
    ...runtime,
    async dispose() {
      await runtime.dispose()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

async function startIn(files: string, script: string): Promise<ObjectRuntime> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      // The databases are on disk, because the alarm of an object in memory crashes this runtime.
      resourcePersistencePath: files,
      cf: false,
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: WORKER,
          modules: [{ type: 'ESModule', path: 'index.mjs', contents: script }],
          compatibilityDate: compatibilityDate(),
          durableObjects: { FAMILIES: { className: CLASS, useSQLite: true } },
          unsafeDirectSockets: [{}],
        },
      ],
    }),
  )
  const url = await runtime.unsafeGetDirectURL(WORKER)
  const agent = new Agent({ keepAlive: true })
  const ask = async (request: ObjectRequest): Promise<unknown> => {
    const { answer, error } = (await postJson(url, agent, JSON.stringify(request))) as {
      readonly answer?: unknown
      readonly error?: { readonly message: string; readonly marks: object }
    }
    if (error !== undefined) throw Object.assign(new Error(error.message), error.marks)
    return answer
  }
  const object = (name: string) => objectOver(ask, name)
  return {
    namespace: namespaceOf(object),
    object,
    place: (name, image) => {
      placeObject(join(files, 'do'), `${WORKER}-${CLASS}`, name, image)
    },
    handedOver: async () =>
      (await ask({ object: '', method: 'handedOver', given: [] })) as readonly OutboxRef[],
    instances: async () =>
      (await ask({ object: '', method: 'instances', given: [] })) as Readonly<Record<string, number>>,
    evict: (name) => runtime.unsafeEvictDurableObject(WORKER, CLASS, { name }),
    async dispose() {
      agent.destroy()
      await runtime.dispose()
    },
  }
}

/** The compatibility date in wrangler.toml, which decides what the platform offers. */
function compatibilityDate(): string {
  const file = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')
  return /^compatibility_date = "([^"]+)"$/m.exec(file)?.[1] ?? ''
}

/** A stub that sends each call of a method to the runtime. */
function objectOver(ask: (request: ObjectRequest) => Promise<unknown>, name: string): TestedObject {
  const methods = {
    get: (_target: object, method: string) =>
      // `then` must be undefined, because otherwise the stub would be taken for a promise.
      method === 'then' ? undefined : (...given: readonly unknown[]) => ask({ object: name, method, given }),
  }
  return new Proxy({}, methods) as TestedObject
}

function namespaceOf(object: (name: string) => TestedObject): FamilyNamespace {
  return {
    idFromName: (name) => ({ name }),
    get: (id) => object((id as { readonly name: string }).name),
    jurisdiction: () => {
      throw new Error('The local runtime knows no jurisdictions')
    },
  }
}
