import { abortImport, commitImport } from './commit-import.ts'
import { openImport } from './open-import.ts'
import { receivePart } from './receive-part.ts'
import {
  transferFile,
  type ImportOutcome,
  type ImportTarget,
  type Transfer,
  type TransferAnswer,
} from './file/transfer-file.ts'
import type { ImportAnswer, ImportWorld } from './world.ts'

/** How long one call writes before it reports progress. */
const COMMIT_MS = 500

/**
 * Imports a file in this process. The whole file is checked before anything is written, and then all of it is. When the
 * process ends in between, a sweep or another import of the same file continues. Throws errors of the storage and of
 * the source.
 */
export function runImport(file: Omit<Transfer, 'target'>, world: ImportWorld): Promise<ImportOutcome> {
  return transferFile({ ...file, target: targetIn(world) })
}

/** The imports of this process as the target of a transfer. */
export function targetIn(world: ImportWorld): ImportTarget {
  const commit = async (importId: string) => transferAnswer(await commitImport(importId, COMMIT_MS, world))
  return {
    open: async (file) => transferAnswer(await openImport(file, world)),
    part: async (importId, part) => transferAnswer(await receivePart(importId, part, world)),
    commit,
    // Committed again, an import that is being written goes on.
    write: commit,
    abort: async (importId) => transferAnswer(await abortImport(importId, world)),
  }
}

function transferAnswer(answer: ImportAnswer): TransferAnswer {
  switch (answer.kind) {
    case 'session':
      return { session: answer.session }
    case 'missing':
      return { message: 'The import is no longer known: it ended more than a day ago.' }
    case 'conflict':
    case 'invalid':
    case 'damaged':
      return { message: answer.message }
  }
}
