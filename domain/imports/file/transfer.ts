import type {
  ImportedFile,
  ImportFormat,
  ImportMapping,
  ImportProblem,
  ImportSession,
} from '../../../ports/import-sessions.ts'
import { OF_SETTING } from '../../limits/limits.ts'
import { concatenated, fromBase64Url, toBase64Url } from '../../text/encoding.ts'
import type { Inputs } from '../../text/http.ts'

/** The part of an import's session that its sender needs. */
export type ImportProgress = Pick<
  ImportSession,
  | 'importId'
  | 'state'
  | 'nextPart'
  | 'readRows'
  | 'skippedRows'
  | 'problems'
  | 'warnings'
  | 'writtenRows'
  | 'changedRows'
  | 'newRows'
  | 'mergedRows'
>

/** The reply to a sender. A message is one sentence for a person, and ends the transfer. */
export type TransferAnswer = { readonly session: ImportProgress } | { readonly message: string }

/** Where the files of one organization are imported: in this process or at a service. */
export interface ImportTarget {
  open(file: ImportedFile): Promise<TransferAnswer>
  part(importId: string, part: ReceivedPart): Promise<TransferAnswer>
  /** Asks for the decision whether the file is written, and begins to write it. */
  commit(importId: string): Promise<TransferAnswer>
  /** Goes on writing for a limited time, whoever began it. */
  write(importId: string): Promise<TransferAnswer>
  abort(importId: string): Promise<TransferAnswer>
}

export interface Transfer {
  /** The name of the import kind. */
  readonly kind: string
  readonly format: ImportFormat
  /** Whether the file is only checked. Left out: it is imported. */
  readonly isDryRun?: boolean
  /** The fields of columns whose names do not say it. */
  readonly mapping?: ImportMapping
  /** Whether columns that are no field become attributes. Left out: they do not. */
  readonly takesAttributes?: boolean
  /** Whether a dry run lists up to `LISTED_PROBLEMS_MAX` problems. Left out: `FILE_PROBLEMS_MAX`. */
  readonly listsProblems?: boolean
  readonly source: ImportSource
  readonly target: ImportTarget
  readonly onProgress: OnProgress
}

/** Called with the number of rows that have been checked, compared with what is stored (by a dry run), or written. */
export type OnProgress = (pass: 'checking' | 'comparing' | 'writing', rows: number) => void

export type ImportOutcome =
  | {
      /**
       * `checked`: by a dry run, which writes nothing. Its counts are those that an import would come to at this moment;
       * all are 0 where a dry run only checks.
       */
      readonly kind: 'imported' | 'checked'
      readonly read: number
      /** Rows that were skipped because all their cells are empty. */
      readonly skipped: number
      readonly changed: number
      readonly unchanged: number
      /** Rows that were stored for the first time, which are among those that changed; null: that was not counted. */
      readonly fresh: number | null
      /** Rows that were of whom an earlier row of the file was; null: that was not counted. */
      readonly merged: number | null
      /** What the operator should know, as sentences. */
      readonly warnings: readonly string[]
    }
  /** Nothing was written. The check ends after `FILE_PROBLEMS_MAX` problems, so there may be more. */
  | { readonly kind: 'invalid'; readonly problems: readonly ImportProblem[] }
  /** Nothing was written; the message says why. */
  | { readonly kind: 'stopped'; readonly message: string }

/** Said of an import that was aborted. */
export const GIVEN_UP = 'The import was given up.'

const CHANGED =
  'The file changed while it was imported. Nothing was imported. Import it again when it no longer changes.'

/**
 * Imports a file: computes its digest, sends the parts that the import lacks, and has it written. An interrupted import
 * of the same file is continued where it stopped. Holds one part and the digests in memory. Throws errors of the target
 * and of the source; the import is then unchanged, and another transfer of the same file continues it.
 */
export async function transferFile(transfer: Transfer): Promise<ImportOutcome> {
  const { kind, format, isDryRun = false, mapping = {}, source, target } = transfer
  const { takesAttributes = false, listsProblems = false } = transfer
  const { digests, totalBytes } = await measured(source)
  const digest = await digestOfParts(digests)
  const opened = await target.open({
    ...{ kind, format, totalBytes, digest, isDryRun, mapping },
    ...{ takesAttributes, listsProblems },
  })
  if (!('session' in opened)) return stopped(opened)
  const sent = await sendParts(transfer, opened.session, digests)
  if (!('session' in sent)) return stopped(sent)
  return commit(transfer, sent.session)
}

function stopped({ message }: { readonly message: string }): ImportOutcome {
  return { kind: 'stopped', message }
}

async function measured(source: ImportSource): Promise<{ digests: readonly string[]; totalBytes: number }> {
  const digests: string[] = []
  let totalBytes = 0
  for await (const bytes of partsOf(source.open(), PART_BYTES)) {
    digests.push(await sha256(bytes))
    totalBytes += bytes.length
  }
  return { digests, totalBytes }
}

/** Sends the parts that the import lacks, until it has them all or is refused. */
async function sendParts(
  { source, target, onProgress }: Transfer,
  opened: ImportProgress,
  digests: readonly string[],
): Promise<TransferAnswer> {
  let session = opened
  let part = 0
  for await (const bytes of partsOf(source.open(), PART_BYTES)) {
    part += 1
    if (session.state !== 'receiving') return { session }
    if (part < session.nextPart) continue
    const digest = await sha256(bytes)
    if (digest !== digests[part - 1]) return changed(target, session)
    const answer = await target.part(session.importId, { part, bytes, digest })
    if (!('session' in answer)) return answer
    session = answer.session
    onProgress('checking', session.readRows)
  }
  return part < digests.length ? changed(target, session) : { session }
}

async function changed(target: ImportTarget, { importId }: ImportProgress): Promise<TransferAnswer> {
  await target.abort(importId)
  return { message: CHANGED }
}

/**
 * Has the whole import checked and written. Each call writes for a limited time, so that progress can be shown in
 * between.
 */
async function commit(
  { target, onProgress, isDryRun = false }: Transfer,
  received: ImportProgress,
): Promise<ImportOutcome> {
  const pass = isDryRun ? 'comparing' : 'writing'
  let session = received
  // The decision is requested once. From then on the import is being written, whoever asks.
  let step: 'commit' | 'write' = 'commit'
  while (session.state === 'receiving' || session.state === 'writing') {
    const answer = await target[step](session.importId)
    if (!('session' in answer)) return stopped(answer)
    step = 'write'
    session = answer.session
    if (session.state === 'writing') onProgress(pass, session.writtenRows)
  }
  if (session.state === 'done') onProgress('writing', session.writtenRows)
  return outcomeOf(session)
}

/** What an import came to that has ended. */
export function outcomeOf(session: Omit<ImportProgress, 'importId' | 'nextPart'>): ImportOutcome {
  const { state, problems, warnings, readRows, skippedRows, writtenRows, changedRows } = session
  const { newRows, mergedRows } = session
  if (state === 'refused') return { kind: 'invalid', problems }
  if (state === 'aborted') return stopped({ message: `${GIVEN_UP} Nothing was imported.` })
  const empty = readRows === 0 ? ['The file holds no rows.'] : []
  return {
    kind: state === 'checked' ? 'checked' : 'imported',
    read: readRows,
    skipped: skippedRows,
    changed: changedRows,
    unchanged: writtenRows - (mergedRows ?? 0) - changedRows,
    fresh: newRows,
    merged: mergedRows,
    warnings: [...warnings, ...empty],
  }
}

type Operation = 'open' | 'sendPart' | 'commit' | 'write' | 'abort'

/** Calls an operation of an import. */
type Ask = (operation: Operation, inputs: Inputs) => Promise<TransferAnswer>

/** Where the files of an organization are imported by the operator interface of a service. */
export function importTarget(organizationId: string, ask: Ask): ImportTarget {
  const one = (importId: string) => ({ params: { organizationId, importId } })
  return {
    open: ({ isDryRun = false, takesAttributes = false, listsProblems = false, ...file }) => {
      // A service of an earlier version does not know these.
      const more = {
        ...(takesAttributes && { attributes: true }),
        ...(listsProblems && { allProblems: true }),
      }
      return ask('open', { params: { organizationId }, body: { ...file, dryRun: isDryRun, ...more } })
    },
    part: (importId, part) => {
      const params = { organizationId, importId, part: String(part.part) }
      const headers = { 'content-type': 'application/octet-stream', 'content-digest': contentDigest(part) }
      return ask('sendPart', { params, content: { headers, body: part.bytes } })
    },
    commit: (importId) => ask('commit', one(importId)),
    write: (importId) => ask('write', one(importId)),
    abort: (importId) => ask('abort', one(importId)),
  }
}

/** The bytes of an import. Each `open` reads them from the start. */
export interface ImportSource {
  open(): AsyncIterable<Uint8Array>
}

/** A part of a file as it was sent. */
export interface ReceivedPart {
  /** Counts from 1. */
  readonly part: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes, base64url, as the sender computed it. */
  readonly digest: string
}

/** Cuts bytes into parts of one size; the last one may be shorter. */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const given of source) {
    let piece = given
    while (length + piece.length >= partBytes) {
      const end = partBytes - length
      yield concatenated([...pieces, piece.subarray(0, end)])
      piece = piece.subarray(end)
      pieces = []
      length = 0
    }
    // The source may reuse its buffer for the next piece.
    if (piece.length > 0) pieces.push(piece.slice())
    length += piece.length
  }
  if (length > 0) yield concatenated(pieces)
}

/** SHA-256 of bytes, base64url. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/**
 * The digest of a file: SHA-256 of the concatenated digests of its parts. Unlike a digest of the bytes, it can be
 * computed from parts that arrive in separate requests.
 * @param digests the digests of the parts in order, base64url
 */
export function digestOfParts(digests: readonly string[]): Promise<string> {
  return sha256(concatenated(digests.map((digest) => fromBase64Url(digest) ?? new Uint8Array(0))))
}

/** The digest of a part as the header `Content-Digest` has it (RFC 9530). */
export function contentDigest({ digest }: Pick<ReceivedPart, 'digest'>): string {
  return `sha-256=:${digest.replaceAll('-', '+').replaceAll('_', '/')}=:`
}

/** The maximum size of a part, in bytes. */
export const PART_MAX_BYTES = 1024 * 1024

/**
 * The size of parts that a client should send. A part is read and checked in one piece, and its rows are staged in one
 * statement: smaller parts let other requests in between, larger ones save round trips.
 */
export const PART_BYTES = 256 * 1024

/** The largest file that can be imported. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024 * 1024

/** The approximate number of bytes of a file whose keys go into one bucket. A bucket is searched by one statement. */
const BUCKET_BYTES = 4 * 1024 * 1024
const BUCKETS_MAX = 256

/**
 * The number of buckets for the keys of a file. To find repeated keys, each bucket is searched by itself, so that
 * neither a statement nor a process ever holds more than one bucket of keys.
 */
export function bucketCount(totalBytes: number): number {
  return Math.min(BUCKETS_MAX, Math.max(1, Math.ceil(totalBytes / BUCKET_BYTES)))
}

/** The number of problems after which an import is refused without checking the rest of the file. */
export const FILE_PROBLEMS_MAX = 50

/** The number of problems that a dry run lists at most which is asked for all. They are kept with the import. */
export const LISTED_PROBLEMS_MAX = 5_000

/** After this time without a new part, another file may take the place of an import. */
export const IDLE_MS = 60_000

/**
 * For how long an import that receives nothing is kept, and for how long the result of an import is kept after its end.
 */
export const ABANDONED_HOURS = 24
export const ABANDONED_MS = ABANDONED_HOURS * 60 * 60 * 1000

/** An import, or a dry run, that came to its end. */
type ReadOutcome = Extract<ImportOutcome, { readonly read: number }>

/**
 * What an import came to, as the rest of a sentence. A dry run has the words of the import that it stands for.
 * @param left how many rows were left out because of their problems
 */
export function outcomeText(outcome: ReadOutcome, left = 0): string {
  const { kind, read, skipped, changed, unchanged, fresh, merged } = outcome
  const be = kind === 'checked' ? ' would be' : ''
  const isCounted = kind === 'imported' || changed + unchanged + (merged ?? 0) === read
  const counts = !isCounted
    ? ''
    : fresh === null || merged === null
      ? `, ${changed}${be} changed, ${unchanged} unchanged`
      : `: ${fresh}${be} new, ${changed - fresh} changed, ${unchanged} unchanged, ${merged} merged`
  const empty = skipped === 0 ? '' : `, ${skipped} empty ${skipped === 1 ? 'row' : 'rows'} skipped`
  const wrong = left === 0 ? '' : `, ${left} with problems skipped`
  const dry =
    kind === 'imported'
      ? ''
      : `.${left === 0 ? ' Nothing is wrong.' : ''} Nothing was imported: this was a dry run`
  return `${read} read${counts}${empty}${wrong}${dry}`
}

/** Said after problems when the check ended with them. */
export function endOfCheck(problems: number, most: number): string {
  return problems < most ? '' : `The check ended after ${most} problems; there may be more.`
}

/** Whether what is wrong may be a setting of the organization, such as its country, and not the file. */
export function isOfSetting({ message }: Pick<ImportProblem, 'message'>): boolean {
  return message.endsWith(OF_SETTING)
}

/** How a file is probably written, by its name. */
export function formatOfName(name: string): ImportFormat {
  return /\.(csv|tsv)$/i.test(name) ? 'csv' : 'ndjson'
}

/** How an imported file may be written. */
export const importFormats = ['ndjson', 'csv'] as const satisfies readonly ImportFormat[]
