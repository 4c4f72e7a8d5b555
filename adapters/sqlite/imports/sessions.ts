import type { Clock } from '../../../ports/platform.ts'
import type { ImportSessions } from '../../../ports/import-sessions.ts'
import { atMost, bind, db, slot, template } from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { givenFields, writableTable } from '../write/upsert.ts'
import { nowOf } from '../write/write-clock.ts'
import { dropStaged, endSession, startSession } from './end-session.ts'
import { keysWithLines, repeatedKeys } from './file-keys.ts'
import { openSession } from './open-session.ts'
import { ofSession, sessionOf, sessions } from './session-row.ts'
import { stagePart } from './stage-part.ts'
import { readNextChunk, writeGiven, writeStaged } from './write-chunk.ts'

const find = template(sessions.where('import_id', '=', slot('importId')))
const latestFirst = sessions.orderBy('opened_at', 'desc').orderBy('import_id', 'desc').limit(atMost('limit'))
const first = template(latestFirst)
const next = template(
  latestFirst.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('opened_at', 'import_id'), '<', tuple(slot<string>('openedAt'), slot<string>('importId'))),
  ),
)
const readDigests = template(db.selectFrom('import_parts').select('digest').where(ofSession).orderBy('part'))

/** The imports of one organization. */
export function createImportSessions(
  executor: Executor,
  clock: Clock,
  organizationId: string,
): ImportSessions {
  const placeOf = (importId: string) => ({ organizationId, importId })
  return {
    open: (importId, file, staging, reading) => {
      const fields = staging === 'drafts' ? null : givenFields(writableTable(file.kind))
      return openSession(executor, { organizationId, importId, file, fields, reading, now: nowOf(clock) })
    },
    async find(importId) {
      const [row] = await rowsOf(executor, bind(find, placeOf(importId)))
      return row === undefined ? null : sessionOf(row)
    },
    async list(after, limit) {
      const statement =
        after === null
          ? bind(first, { organizationId, limit })
          : bind(next, { ...placeOf(after.importId), limit, openedAt: after.openedAt })
      return (await rowsOf(executor, statement)).map(sessionOf)
    },
    async digests(importId) {
      return (await rowsOf(executor, bind(readDigests, placeOf(importId)))).map(({ digest }) => digest)
    },
    addPart: (session, part) => stagePart(executor, organizationId, session, part, nowOf(clock)),
    repeatedKeys: (importId, bucket, limit) =>
      repeatedKeys(executor, { ...placeOf(importId), bucket }, limit),
    keysIn: (importId, bucket) => keysWithLines(executor, { ...placeOf(importId), bucket }, null),
    end: (importId, state, problems) =>
      endSession(executor, placeOf(importId), state, problems, nowOf(clock)),
    startWriting: ({ importId, kind }, serviceWideIds) =>
      startSession(executor, { ...placeOf(importId), kind }, serviceWideIds, nowOf(clock)),
    writeNext: async (session, chunksMax) =>
      writeStaged(executor, placeOf(session.importId), session, chunksMax, nowOf(clock)),
    nextChunk: (importId) => readNextChunk(executor, placeOf(importId)),
    writeChunk: (session, written) =>
      writeGiven(executor, placeOf(session.importId), session, written, nowOf(clock)),
    dropStaged: (importId) => dropStaged(executor, placeOf(importId)),
  }
}
