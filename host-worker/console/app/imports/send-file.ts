import type { HeaderRules } from '../../../../domain/imports/file/header.ts'
import {
  importTarget,
  PART_BYTES,
  transferFile,
  type OnProgress,
  type Transfer,
  type ImportOutcome,
  type ImportProgress,
  type ImportSource,
  type ImportTarget,
  type TransferAnswer,
} from '../../../../domain/imports/file/transfer.ts'
import { importRight, importWhole, type FileImport } from '../../../../domain/imports/file/skip-problems.ts'
import { Failure, repeated, type Client, type Work } from '../service/client.ts'
import type { CallOf } from '../service/operations.ts'

export type ImportFormat = NonNullable<CallOf<'imports.open'>['body']>['format']

/** The fields of columns whose names do not say it. */
export type Mapping = HeaderRules['mapping']

/** A file to import, and how. */
export interface SentFile {
  readonly organizationId: string
  readonly kind: string
  readonly format: ImportFormat
  readonly mapping: Mapping
  readonly isDryRun: boolean
  readonly file: File
  /** What is sent of it: the file in UTF-8. */
  readonly source: ImportSource
  /** How its columns are read; null: it has none. */
  readonly rules: HeaderRules | null
  /** Whether rows with problems are left out. Else one such row, and nothing is imported. */
  readonly skipsProblems: boolean
}

/** How far an import is. */
export interface SendProgress {
  readonly pass: 'reading' | 'checking' | 'comparing' | 'writing'
  /** The import, by which it can be given up; null: it is not open yet. */
  readonly importId: string | null
  readonly rows: number
  /** Out of `most`: bytes of the file, or rows when they are written. */
  readonly done: number
  readonly most: number
  /** Why the last request is being repeated; null: it is not. */
  readonly waitsFor: string | null
}

/**
 * Imports a file through the service. A request without an answer is repeated; when that does not help, this throws its
 * `Failure`, and the same call made again goes on where this one stopped.
 */
export async function sendFile(
  client: Client,
  sent: SentFile,
  work: Work<SendProgress>,
): Promise<FileImport> {
  const { organizationId, file, source, rules, skipsProblems, ...how } = sent
  let known: SendProgress = {
    ...{ pass: 'reading', importId: null, rows: 0, done: 0, most: file.size, waitsFor: null },
  }
  const tell = (change: Partial<SendProgress>): void => {
    known = { ...known, ...change }
    work.report(known)
  }
  // The first reading is for the digest; the second one sends.
  const told = (read: ImportSource): ImportSource => ({
    async *open() {
      let bytes = 0
      for await (const piece of read.open()) {
        yield piece
        bytes += piece.length
        if (known.pass === 'reading') tell({ done: Math.min(bytes, file.size) })
      }
    },
  })
  const target = targetOf(client, { organizationId, file }, work.signal, tell)
  const onProgress: OnProgress = (_pass, rows) => {
    tell({ rows })
  }
  const importing = (more: Partial<Transfer>): Promise<ImportOutcome> => {
    tell({ pass: 'reading', importId: null, done: 0, most: file.size })
    const transfer = { ...how, source, target, onProgress, ...more }
    return transferFile({ ...transfer, source: told(transfer.source) })
  }
  return rules !== null && skipsProblems
    ? importRight(source, rules, importing)
    : importWhole(source, rules, importing)
}

function targetOf(
  client: Client,
  { organizationId, file }: Pick<SentFile, 'organizationId' | 'file'>,
  signal: AbortSignal,
  tell: (change: Partial<SendProgress>) => void,
): ImportTarget {
  const service = importTarget(organizationId, async (operation, inputs) => {
    // The target gives each operation the inputs, and the body, that it takes.
    const call = inputs as CallOf<'imports.write'>
    const asking = async (): Promise<ImportProgress> => {
      try {
        return await client.call(`imports.${operation}`, call, signal)
      } catch (error) {
        // An import that is refused when it is decided is shown with its problems.
        if (!(error instanceof Failure) || error.status !== 422) throw error
        return client.call('imports.show', call, signal)
      }
    }
    try {
      const session = await repeated(signal, asking, ({ message }) => {
        tell({ waitsFor: message })
      })
      tell({ importId: session.importId, waitsFor: null })
      return { session }
    } catch (error) {
      if (error instanceof Failure && error.kind === 'refused') return { message: error.message }
      throw error
    }
  })
  let pass: SendProgress['pass'] = 'writing'
  const writing = async (answering: Promise<TransferAnswer>): Promise<TransferAnswer> => {
    const answer = await answering
    if ('session' in answer) tell({ pass, done: answer.session.writtenRows, most: answer.session.readRows })
    return answer
  }
  return {
    ...service,
    open: (opened) => {
      pass = opened.isDryRun === true ? 'comparing' : 'writing'
      return service.open(opened)
    },
    part: async (importId, part) => {
      const answer = await service.part(importId, part)
      tell({ pass: 'checking', done: Math.min(part.part * PART_BYTES, file.size) })
      return answer
    },
    commit: (importId) => writing(service.commit(importId)),
    write: (importId) => writing(service.write(importId)),
  }
}

const UNREADABLE =
  'The file can no longer be read. When it was changed meanwhile, choose it again: the browser lets a page read only what was chosen.'

async function bytesOf(file: File, from: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.slice(from, from + PART_BYTES).arrayBuffer())
  } catch {
    throw new Failure('refused', UNREADABLE)
  }
}

/** A chosen file, of which one part at a time is in memory. */
export function sourceOf(file: File): ImportSource {
  return {
    async *open() {
      for (let from = 0; from < file.size; from += PART_BYTES) yield await bytesOf(file, from)
    },
  }
}
