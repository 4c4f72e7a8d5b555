import { sql } from 'kysely'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { ImportSessions } from '../../../ports/records/import-sessions.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { tableOf } from '../table/tables.ts'
import { givenFields, writableTable } from '../write/upsert.ts'
import { nowOf } from '../write/write-clock.ts'
import { dropStaged, endSession, startSession } from './end-session.ts'
import { keysWithLines, repeatedKeys } from './file-keys.ts'
import { openSession } from './open-session.ts'
import type { SessionRow } from './session-row.ts'
import { ofSession, sessionColumns, sessionOf } from './session-row.ts'
import { stagePart } from './stage-part.ts'
import { readNextChunk, writeGiven, writeStaged } from './write-chunk.ts'

const find = template(sql<SessionRow>`select ${sessionColumns} from import_sessions where ${ofSession}`)
const ofOrganization = sql`select ${sessionColumns} from import_sessions
  where organization_id = ${slot('organizationId')}`
const latestFirst = sql`order by opened_at desc, import_id desc limit +${slot('limit')}`
const first = template(sql<SessionRow>`${ofOrganization} ${latestFirst}`)
const next = template(sql<SessionRow>`${ofOrganization}
  and (opened_at, import_id) < (${slot('openedAt')}, ${slot('importId')}) ${latestFirst}`)
const readDigests = template(sql<{ readonly digest: string }>`
  select digest from import_parts where ${ofSession} order by part`)

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
    startWriting: ({ importId, kind }, serviceWideIds) => {
      const serviceWide = serviceWideIds ? tableOf(kind) : null
      return startSession(executor, { ...placeOf(importId), kind }, serviceWide, nowOf(clock))
    },
    writeNext: async (session, chunksMax) =>
      writeStaged(executor, placeOf(session.importId), session, chunksMax, nowOf(clock)),
    nextChunk: (importId) => readNextChunk(executor, placeOf(importId)),
    writeChunk: (session, written) =>
      writeGiven(executor, placeOf(session.importId), session, written, nowOf(clock)),
    dropStaged: (importId) => dropStaged(executor, placeOf(importId)),
  }
}
