import type { ImportSession, ImportedFile, StagedPart, ImportProblem } from '../../ports/import-sessions.ts'
import {
  checkPart,
  inBuckets,
  foreignProblems,
  repetitionProblems,
  importContext,
  type ImportWorld,
} from './check.ts'
import { isKeptAtPos, kindOf, isStagedAsDrafts, type ImportKind } from './kinds.ts'
import { randomBase62 } from '../text/encoding.ts'
import {
  bucketCount,
  IDLE_MS,
  sha256,
  FILE_PROBLEMS_MAX,
  LISTED_PROBLEMS_MAX,
  GIVEN_UP,
  digestOfParts,
  transferFile,
  type ReceivedPart,
  type ImportOutcome,
  type ImportTarget,
  type Transfer,
  type TransferAnswer,
} from './file/transfer.ts'
import { startOfFile, readPart, sealReading, unsealReading } from './read-part.ts'
import { unknownWord } from '../text/schema-errors.ts'
import { folded } from './file/header.ts'
import type { StoredRow } from '../../ports/records.ts'
import { isList } from './contacts.ts'
import { existingRows, continueWriting } from './write.ts'
import { echoed } from '../limits/limits.ts'

/** The outcome of a request about an import. */
export type ImportAnswer =
  | { readonly kind: 'session'; readonly session: ImportSession }
  /** The organization has no import of that id. */
  | { readonly kind: 'missing' }
  /** The request does not fit the state of the import. Nothing was changed. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** The request can never succeed as it is. Nothing was changed. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** A part did not arrive as it was sent: nothing was changed, and it may be sent again. */
  | { readonly kind: 'damaged'; readonly message: string }

function conflict(message: string): ImportAnswer {
  return { kind: 'conflict', message }
}

const ID_LENGTH = 22

/**
 * Opens an import, or finds the open import of the same file. An organization has one open import of a kind at a time:
 * another file waits until that one is written, or has received nothing for a while.
 */
export async function openImport(given: ImportedFile, world: ImportWorld): Promise<ImportAnswer> {
  if (given.listsProblems === true && given.isDryRun !== true)
    return { kind: 'invalid', message: 'All problems are listed only by a dry run.' }
  const mapped = readMapping(given, kindOf(given.kind, world.tools))
  if ('problem' in mapped) return { kind: 'invalid', message: mapped.problem }
  const file = { ...given, ...mapped }
  const destination = isKeptAtPos(file.kind) ? world.pos() : null
  if (destination !== null && 'refusal' in destination) return conflict(destination.refusal)
  const first = await open(file, world)
  if (isOf(first, file)) return { kind: 'session', session: first }
  if (!isIdle(first, world)) return busy(first, world)
  await world.sessions.end(first.importId, 'aborted', first.problems)
  const second = await open(file, world)
  return isOf(second, file) ? { kind: 'session', session: second } : busy(second, world)
}

async function open(file: ImportedFile, { sessions, tools, random }: ImportWorld): Promise<ImportSession> {
  const kind = kindOf(file.kind, tools)
  const importId = `imp_${randomBase62(ID_LENGTH, (length) => random.bytes(length))}`
  return sessions.open(
    importId,
    file,
    isStagedAsDrafts(kind) ? 'drafts' : 'rows',
    JSON.stringify(startOfFile),
  )
}

function isOf(
  session: ImportSession,
  { kind, format, totalBytes, digest, isDryRun = false, mapping = {}, ...given }: ImportedFile,
): boolean {
  const { takesAttributes = false, listsProblems = false } = given
  return (
    session.kind === kind &&
    session.format === format &&
    session.totalBytes === totalBytes &&
    session.digest === digest &&
    session.isDryRun === isDryRun &&
    session.takesAttributes === takesAttributes &&
    session.listsProblems === listsProblems &&
    JSON.stringify(session.mapping) === JSON.stringify(mapping)
  )
}

function isIdle({ state, touchedAt }: ImportSession, { clock }: ImportWorld): boolean {
  return state === 'receiving' && clock.nowMs() - Date.parse(touchedAt) >= IDLE_MS
}

function busy({ kind, importId, state }: ImportSession, { organization }: ImportWorld): ImportAnswer {
  const until =
    state === 'writing'
      ? 'Wait until it is written.'
      : `Wait until it ends, or abort it; when nothing comes for it for ${IDLE_MS / 1000} seconds, another may take its place.`
  return conflict(
    `Another file of ${kind} is being imported into ${organization.organizationId} (${importId}). ${until}`,
  )
}

/** A mapping whose fields have the names of the record, or sentences about what is wrong with it. */
function readMapping(
  { kind, format, mapping = {}, takesAttributes = false }: ImportedFile,
  { names, problemOf, matching }: ImportKind,
): { readonly mapping: Readonly<Record<string, string>> } | { readonly problem: string } {
  const pairs = Object.entries(mapping)
  if (format !== 'csv' && pairs.length > 0)
    return { problem: 'Only the columns of a CSV file can be mapped. In NDJSON, the keys are the fields.' }
  if (takesAttributes && (format !== 'csv' || matching === null))
    return { problem: 'Only the columns of a CSV file of contacts can become attributes.' }
  const fieldOf = new Map(names.map((name) => [folded(name), name]))
  const known = pairs.map(
    ([column, field]) =>
      [
        column,
        field === '' ? '' : (fieldOf.get(folded(field)) ?? (problemOf(field) === null ? field : undefined)),
      ] as const,
  )
  const unknown = pairs.filter((_, index) => known[index]?.[1] === undefined)
  const sentences = unknown.map(
    ([column, field]) =>
      `${echoed(column)} cannot be mapped to ${echoed(field)}, which is not a field of ${kind}. ${unknownWord(field, names)}`,
  )
  if (sentences.length > 0) return { problem: sentences.join(' ') }
  return { mapping: Object.fromEntries(known.map(([column, field]) => [column, field ?? ''])) }
}

/**
 * Takes the next part of a file: reads and checks it, and stages its rows. A part that was taken before is accepted
 * again when it is the same, so that a sender who missed the reply can repeat it. The returned session contains the
 * problems of the file so far, and the number of the next part.
 */
export async function receivePart(
  importId: string,
  received: ReceivedPart,
  world: ImportWorld,
): Promise<ImportAnswer> {
  const { part, bytes, digest } = received
  if ((await sha256(bytes)) !== digest)
    return {
      kind: 'damaged',
      message: `Part ${part} does not have the digest that came with it. Send it again.`,
    }
  const session = await world.sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  if (part < session.nextPart) return answerAgain(session, received, world)
  const misfit = misfitOf(session, received)
  if (misfit !== null) return conflict(misfit)
  const staged = await stagedPart(session, received, world)
  if (typeof staged === 'string') {
    await world.sessions.end(importId, 'aborted', session.problems)
    return conflict(staged)
  }
  const taken = await world.sessions.addPart(session, staged)
  return taken === null ? afterRace(importId, received, world) : { kind: 'session', session: taken }
}

async function answerAgain(
  session: ImportSession,
  { part, digest }: ReceivedPart,
  { sessions }: ImportWorld,
): Promise<ImportAnswer> {
  // After the decision to write, parts have no effect, and their digests are no longer stored.
  if (session.state === 'writing' || session.state === 'done') return { kind: 'session', session }
  const digests = await sessions.digests(session.importId)
  if (digests[part - 1] === digest) return { kind: 'session', session }
  return conflict(
    `Part ${part} was taken before, with other content. The next one is part ${session.nextPart}.`,
  )
}

/** The reply when a concurrent call has changed the session, perhaps by sending the same part. */
async function afterRace(
  importId: string,
  received: ReceivedPart,
  world: ImportWorld,
): Promise<ImportAnswer> {
  const session = await world.sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  if (received.part < session.nextPart) return answerAgain(session, received, world)
  return conflict(misfitOf(session, received) ?? `Part ${received.part} was not taken. Send it again.`)
}

/** Why a part cannot be taken next; null: it can. */
function misfitOf(session: ImportSession, { part, bytes }: ReceivedPart): string | null {
  const { state, nextPart, receivedBytes, totalBytes } = session
  if (state === 'refused') return 'The import was refused because of what is wrong with its file.'
  if (state === 'aborted') return GIVEN_UP
  if (state !== 'receiving') return 'The whole file was received before.'
  if (part > nextPart) return `Part ${part} is out of order: the next one is part ${nextPart}.`
  if (bytes.length === 0) return `Part ${part} is empty.`
  const left = totalBytes - receivedBytes
  if (bytes.length > left)
    return `Part ${part} has ${bytes.length} bytes, but of ${totalBytes} bytes in all only ${left} are missing.`
  return null
}

/** How many problems of a file are listed; a check ends with them. */
function problemsMaxOf({ listsProblems }: ImportSession): number {
  return listsProblems ? LISTED_PROBLEMS_MAX : FILE_PROBLEMS_MAX
}

/** Everything that a part adds to its session, or why the incomplete line before it can no longer be read. */
async function stagedPart(
  session: ImportSession,
  { part, bytes, digest }: ReceivedPart,
  world: ImportWorld,
): Promise<StagedPart | string> {
  const kind = kindOf(session.kind, world.tools)
  const isLast = session.receivedBytes + bytes.length === session.totalBytes
  const { format, mapping, takesAttributes } = session
  const file = { format, columns: kind, mapping, takesAttributes }
  const sealing = { secrets: world.tools.secrets, random: world.random }
  const before = await unsealReading(session.reading, session.importId, sealing)
  if (typeof before === 'string') return before
  const { entries, skippedRows, reading } = readPart(before, bytes, isLast, file)
  const checked = await checkPart(entries, kind, importContext(world.organization), world.lookup)
  const most = problemsMaxOf(session)
  const problems = [...session.problems, ...checked.problems].slice(0, most)
  const found = (await kind.warn?.(checked.rows, world.lookup)) ?? []
  return {
    part,
    digest,
    bytes: bytes.length,
    readRows: entries.length,
    skippedRows,
    problems,
    warnings: [...session.warnings, ...found].slice(0, FILE_PROBLEMS_MAX),
    state: problems.length === most ? 'refused' : 'receiving',
    reading: JSON.stringify(
      kind.secretField === null ? reading : await sealReading(reading, session.importId, sealing),
    ),
    rows: problems.length > 0 || !isStaged(session) ? [] : await drafts(checked.rows, kind, world),
    matching: kind.matching?.(checked.rows, format) ?? 0,
    keys: inBuckets(checked.keys, bucketCount(session.totalBytes)),
  }
}

/**
 * Whether rows are staged: to be written, or by a dry run to be compared with what is stored. One that lists all problems
 * is there for those, and a point of sale tells nobody what a row would change.
 */
function isStaged({ isDryRun, listsProblems, kind }: ImportSession): boolean {
  return !isDryRun || (!listsProblems && !isKeptAtPos(kind))
}

/** The rows as they are staged: unchanged, or as drafts when the kind completes its rows only as they are written. */
async function drafts(
  rows: readonly StoredRow[],
  kind: ImportKind,
  { lookup }: ImportWorld,
): Promise<readonly StoredRow[]> {
  const { completion } = kind
  if (completion === null) return rows
  const existing = await existingRows(rows, kind, completion, lookup)
  const made: StoredRow[] = []
  for (const row of rows) made.push(await completion.draft(row, existing(row)))
  return made
}

/**
 * Ends the receiving of a file: checks what only the whole file shows, decides whether it is written, and writes for as
 * long as `durationMs` allows. The decision is final. When the returned session is still `writing`, another call
 * continues, or else the sweep does. Nothing can go wrong with an import after the decision: the rows that its rows
 * refer to still exist, because none are deleted while an import is open, and rows of its kind change only through
 * another import, which must wait.
 */
export async function commitImport(
  importId: string,
  durationMs: number,
  world: ImportWorld,
): Promise<ImportAnswer> {
  const untilMs = world.clock.nowMs() + durationMs
  const session = await world.sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  const decided = session.state === 'receiving' ? await decide(session, world) : known(session)
  if (decided.kind !== 'session') return decided
  return { kind: 'session', session: await continueWriting(decided.session, untilMs, world) }
}

/** Aborts an import. That is no longer possible once the decision to write it was made. */
export async function abortImport(importId: string, world: ImportWorld): Promise<ImportAnswer> {
  const { sessions } = world
  const session = await sessions.find(importId)
  if (session === null) return { kind: 'missing' }
  const ended = (await sessions.end(importId, 'aborted', session.problems)) ?? session
  if (ended.state !== 'done' && ended.state !== 'writing') return { kind: 'session', session: ended }
  return conflict(
    `The import is ${ended.state === 'done' ? 'done' : 'being written'} and cannot be given up.`,
  )
}

function known(session: ImportSession): ImportAnswer {
  return session.state === 'aborted' ? conflict(GIVEN_UP) : { kind: 'session', session }
}

async function decide(session: ImportSession, world: ImportWorld): Promise<ImportAnswer> {
  const { importId, receivedBytes, totalBytes, nextPart } = session
  if (receivedBytes < totalBytes)
    return conflict(
      `${receivedBytes} of ${totalBytes} bytes were received: part ${nextPart} is missing before the import can be written.`,
    )
  if ((await digestOfParts(await world.sessions.digests(importId))) !== session.digest) {
    await world.sessions.end(importId, 'aborted', session.problems)
    return conflict('What was sent is not the file that the import was opened for. Nothing was imported.')
  }
  const problems = await allProblems(session, world)
  const { serviceWideIds } = kindOf(session.kind, world.tools)
  const decided =
    problems.length > 0
      ? await world.sessions.end(importId, 'refused', problems)
      : await world.sessions.startWriting(session, serviceWideIds && !session.isDryRun)
  if (decided !== null) return { kind: 'session', session: decided }
  // Either a concurrent call has decided, or another organization has one of the ids, or may be about to store it.
  const now = await world.sessions.find(importId)
  if (now === null) return { kind: 'missing' }
  if (now.state !== 'receiving') return known(now)
  return conflict(
    `Another organization's import of ${session.kind} is being written, which may bring the same ids. Try again.`,
  )
}

/** The problems of the parts, and those that only the whole file shows: keys that occur in it twice. */
async function allProblems(session: ImportSession, world: ImportWorld): Promise<readonly ImportProblem[]> {
  const { sessions, lookup, tools } = world
  const { importId, totalBytes } = session
  const kind = kindOf(session.kind, tools)
  const problems = [...session.problems]
  const most = problemsMaxOf(session)
  for (let bucket = 0; bucket < bucketCount(totalBytes); bucket += 1) {
    // Rows of a list that name the same contact are merged.
    if (isList(session)) {
      if (session.matching === 1 && problems.length === 0) await sessions.markRepeated(importId, bucket)
    } else {
      const repeated = await sessions.repeatedKeys(importId, bucket, most)
      problems.push(...repetitionProblems(repeated, kind))
    }
    // Since a part was checked, another organization may have taken one of its ids.
    if (kind.serviceWideIds) {
      const keys = (await sessions.keysIn(importId, bucket)).map(({ key, lines: [line = 0] }) => ({
        key,
        line,
      }))
      problems.push(...(await foreignProblems(keys, kind, lookup)))
    }
  }
  return distinct(problems.sort((left, right) => left.line - right.line)).slice(0, most)
}

/**
 * Removes duplicates: an id that belonged to another organization when its part was checked is found again at the end.
 */
function distinct(problems: readonly ImportProblem[]): readonly ImportProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}

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
