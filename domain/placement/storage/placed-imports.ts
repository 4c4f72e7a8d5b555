import type { ImportSession, ImportSessions } from '../../../ports/import-sessions.ts'
import { bucketCount } from '../../limits/limits.ts'
import { relayed } from '../../../ports/relayed.ts'
import { toInstant } from '../../text/instant.ts'
import { atPlace, toPlace, type LoggedPlaces } from '../find/at-place.ts'
import { reserveForms } from './reserve-forms.ts'

/** After how long the sweep asks a family's database whether an import that was decided is being written, in ms. */
const ASKED_AFTER_MS = 60_000

/** The imports of one organization, wherever it lives. */
export function placedImports(places: LoggedPlaces, organizationId: string): ImportSessions {
  const relay = toPlace(organizationId, places, (storage) => storage.imports(organizationId))
  return relayed(relay, {
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
  })
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
