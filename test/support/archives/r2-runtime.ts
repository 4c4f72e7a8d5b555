import { build } from 'esbuild'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import type { ArchiveStore, StoredArchive } from '../../../ports/organization-store.ts'
import { runtimeFiles } from '../services/runtime-files.ts'

/** A bucket in the real runtime, with the adapter running there. */
export interface R2Runtime {
  readonly archives: ArchiveStore
  /** Stores bytes, encrypted to a public key of age. */
  putSealed(name: string, bytes: Uint8Array<ArrayBuffer>, recipient: string): Promise<void>
  dispose(): Promise<void>
}

export async function openR2Runtime(): Promise<R2Runtime> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, 'r2-worker.ts')],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const files = runtimeFiles('r2')
  const runtime = new Miniflare({
    resourcePersistencePath: files,
    workers: [
      {
        config: {
          name: 'archives-test',
          compatibilityDate: '2026-01-01',
          manifest: {
            mainModule: 'index.mjs',
            modules: { 'index.mjs': { type: 'esm', contents: built.outputFiles[0]?.text ?? '' } },
          },
          env: { BACKUPS: { type: 'r2', name: 'backups' } },
        },
        dev: { unsafeDirectSockets: [{}] },
      },
    ],
  })
  const url = await runtime.unsafeGetDirectURL()
  const ask = (
    method: string,
    query: Readonly<Record<string, string | number>>,
    body?: Uint8Array<ArrayBuffer>,
  ) => {
    const given = Object.entries(query).map(([name, value]) => [name, String(value)])
    return fetch(`${url.href}?${new URLSearchParams(given).toString()}`, { method, ...(body && { body }) })
  }
  const put = async (query: Readonly<Record<string, string | number>>, bytes: Uint8Array<ArrayBuffer>) => {
    const { ok, text } = await ask('PUT', query, bytes).then(async (response) => ({
      ok: response.ok,
      text: await response.text(),
    }))
    if (!ok) throw new Error(text)
  }
  return {
    archives: {
      async put(name, pieces) {
        const all: Uint8Array[] = []
        let failAfter = 0
        try {
          for await (const piece of pieces) all.push(piece)
        } catch {
          failAfter = all.reduce((sum, piece) => sum + piece.length, 0) - 1
        }
        await put({ name, failAfter }, Uint8Array.from(Buffer.concat(all)))
      },
      list: async (after, limit) =>
        (await (await ask('GET', { limit, ...(after === null ? {} : { after }) })).json()) as StoredArchive[],
      async read(name, offset, length) {
        const response = await ask('GET', { name, offset, length })
        return response.status === 404 ? null : response.bytes()
      },
      async remove(name) {
        await ask('DELETE', { name })
      },
    },
    putSealed: (name, bytes, recipient) => put({ name, recipient }, bytes),
    async dispose() {
      await runtime.dispose()
      rmSync(files, { recursive: true, force: true })
    },
  }
}
