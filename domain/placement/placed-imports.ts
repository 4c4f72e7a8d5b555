import type { ImportSession, ImportSessions } from '../../ports/records/import-sessions.ts'
import { bucketCount } from '../bounds/buckets.ts'
import { toInstant } from '../text/instant.ts'
import type { LoggedPlaces } from './at-place.ts'
import { atPlace } from './at-place.ts'
import { reserveForms } from './reserve-forms.ts'

/** After how long the sweep asks a family's database whether an import that was decided is being written, in ms. */
const ASKED_AFTER_MS = 60_000

/** The imports of one organization, wherever it lives. */
export function placedImports(places: LoggedPlaces, organizationId: string): ImportSessions {
  const at = <Result>(work: (imports: ImportSessions) => Promise<Result>) =>
    atPlace(organizationId, places, (storage) => work(storage.imports(organizationId)))
  return {
    open: (importId, file, staging, reading) =>
      at((imports) => imports.open(importId, file, staging, reading)),
    find: (importId) => at((imports) => imports.find(importId)),
    list: (after, limit) => at((imports) => imports.list(after, limit)),
    digests: (importId) => at((imports) => imports.digests(importId)),
    addPart: (session, part) => at((imports) => imports.addPart(session, part)),
    repeatedKeys: (importId, bucket, limit) => at((imports) => imports.repeatedKeys(importId, bucket, limit)),
    keysIn: (importId, bucket) => at((imports) => imports.keysIn(importId, bucket)),
    end: (importId, state, problems) => at((imports) => imports.end(importId, state, problems)),
    startWriting: (session, serviceWideIds) =>
      atPlace(organizationId, places, async (storage, place) => {
        const imports = storage.imports(organizationId)
        if (place.kind === 'shared') return imports.startWriting(session, serviceWideIds)
        const { directory, clock } = places
        await directory.noteWork(place.familyId, toInstant(clock.nowMs() + ASKED_AFTER_MS))
        return serviceWideIds
          ? startReserved(session, imports, organizationId, places)
          : imports.startWriting(session, false)
      }),
    writeNext: (session, chunksMax) => at((imports) => imports.writeNext(session, chunksMax)),
    nextChunk: (importId) => at((imports) => imports.nextChunk(importId)),
    writeChunk: (session, written) => at((imports) => imports.writeChunk(session, written)),
    dropStaged: (importId) => at((imports) => imports.dropStaged(importId)),
  }
}

/**
 * Decides an import whose ids are unique in the whole service. The ids are reserved in the directory before. Once the
 * import is decided they are settled for good, because then every row will be written.
 */
async function startReserved(
  session: ImportSession,
  imports: ImportSessions,
  organizationId: string,
  places: LoggedPlaces,
): Promise<ImportSession | null> {
  const buckets = bucketCount(session.totalBytes)
  const formIds: string[] = []
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const keys = (await imports.keysIn(session.importId, bucket)).map(({ key }) => key)
    if (!(await reserveForms(keys, organizationId, places))) return null
    formIds.push(...keys)
  }
  const started = await imports.startWriting(session, true)
  if (started !== null) await places.directory.settleForms(organizationId, formIds)
  return started
}
