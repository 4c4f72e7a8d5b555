import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveStore } from '../../ports/organization-store.ts'

/** A file that is not complete yet. No archive has such a name. */
const UNFINISHED = '.unfinished'

/** Archives as files of a folder, which only their owner may read. No I/O. */
export function createFolderArchives(folder: string): ArchiveStore {
  return {
    async put(name, pieces) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, name)
      const unfinished = path + UNFINISHED
      const file = await open(unfinished, 'w', 0o600)
      try {
        for await (const piece of pieces) await file.writeFile(piece)
        await file.sync()
      } catch (error) {
        await file.close()
        await rm(unfinished, { force: true })
        throw error
      }
      await file.close()
      await rename(unfinished, path)
    },

    async list(after, limit) {
      const names = (await readdir(folder).catch(missingIs([])))
        .filter((name) => !name.endsWith(UNFINISHED) && (after === null || name > after))
        .sort()
        .slice(0, limit)
      return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })))
    },

    async read(name, offset, length) {
      const file = await open(join(folder, name), 'r').catch(missingIs(null))
      if (file === null) return null
      try {
        const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },

    remove: (name) => rm(join(folder, name), { force: true }),
  }
}

/** Handles the error for a file or folder that is not there, by a value. */
function missingIs<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value
    throw error
  }
}
