import type { ImportProblem, ImportSession } from '../../ports/import-sessions.ts'
import { foreignProblems } from './check/check-part.ts'
import { digestOfParts } from './file/file-parts.ts'
import { kindOf } from './kinds/kinds.ts'
import { FILE_PROBLEMS_MAX } from './file/limits.ts'
import { bucketCount } from '../bounds/buckets.ts'
import { repetitionProblems } from './check/repetitions.ts'
import { continueWriting } from './write-import.ts'
import { conflict, type ImportAnswer, type ImportWorld } from './world.ts'
import { GIVEN_UP } from './file/transfer-file.ts'

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
  const { isDryRun } = session
  const decided =
    problems.length > 0 || isDryRun
      ? await world.sessions.end(importId, problems.length > 0 ? 'refused' : 'checked', problems)
      : await world.sessions.startWriting(session, serviceWideIds)
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
  for (let bucket = 0; bucket < bucketCount(totalBytes); bucket += 1) {
    const repeated = await sessions.repeatedKeys(importId, bucket, FILE_PROBLEMS_MAX)
    problems.push(...repetitionProblems(repeated, kind))
    // Since a part was checked, another organization may have taken one of its ids.
    if (kind.serviceWideIds) {
      const keys = (await sessions.keysIn(importId, bucket)).map(({ key, lines: [line = 0] }) => ({
        key,
        line,
      }))
      problems.push(...(await foreignProblems(keys, kind, lookup)))
    }
  }
  return distinct(problems.sort((left, right) => left.line - right.line)).slice(0, FILE_PROBLEMS_MAX)
}

/**
 * Removes duplicates: an id that belonged to another organization when its part was checked is found again at the end.
 */
function distinct(problems: readonly ImportProblem[]): readonly ImportProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
