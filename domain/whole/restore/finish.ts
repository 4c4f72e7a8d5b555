import type { StoredValue } from '../../../ports/placement/move.ts'
import type { ArchivePosition, WholeStore } from '../../../ports/archives.ts'
import { MovingError } from '../../placement/find/errors.ts'
import { toInstant } from '../../text/instant.ts'
import { eraseAgain } from './erase-again.ts'
import { progressOf, UNREADABLE } from './progress.ts'
import type { RestoreAnswer, RestoreWorld } from './world.ts'

/**
 * Opens an organization whose rows are all there, after it has erased again who was erased since the archive was made.
 * That takes a bounded time: the organization is open when the restoration has ended. Null: there is no such restoration.
 * May be repeated.
 */
export async function finishRestoring(
  organizationId: string,
  restoreId: string,
  world: RestoreWorld,
): Promise<RestoreAnswer | null> {
  const store = world.whole(organizationId)
  const restoration = await store.restoration()
  if (restoration?.restoreId !== restoreId) return null
  if (restoration.endedAt !== null) return { restoration }
  const progress = progressOf(restoration)
  if (progress === null) return { refusal: UNREADABLE }
  const missing = progress.files.find(({ file, rows }) => (progress.rows[file] ?? 0) < rows)
  if (missing !== undefined)
    return {
      refusal: `${missing.file} has not come as a whole: the next part is part ${restoration.nextPart}.`,
    }
  const { progress: erased, isDone } = await eraseAgain(organizationId, restoration, progress, world)
  if (!isDone) return { restoration: { ...restoration, progress: JSON.stringify(erased) } }
  const formIds = (await valuesIn(store, 'forms', ['formId'])).map(([id]) => String(id))
  const keys = (await valuesIn(store, 'api_keys', ['keyId', 'issuedBy'])).map(([keyId, issuer = null]) => ({
    keyId: String(keyId),
    issuedBy: issuer === null ? null : String(issuer),
  }))
  if (!(await world.restorePlaces.enter(organizationId, { formIds, keys })))
    return {
      refusal: 'Another organization has one of the forms, or imports forms. Try again, or look which it is.',
    }
  const now = toInstant(world.clock.nowMs())
  const { parentId } = progress
  const row = {
    ...progress.row,
    clockAt: latestOf([progress.row.clockAt, progress.changedAt, erased.erasing?.at]),
  }
  // Asked after the keys are in the directory: whoever ends an issuer later finds them there.
  const issuers = new Set(keys.flatMap(({ issuedBy }) => issuedBy ?? []))
  const endedIssuers = await world.operatorKeys.endedWithDescent([...issuers])
  const outcome = await opened(() => store.open({ restoreId, row, parentId, endedIssuers, now }))
  switch (outcome) {
    case 'opened':
      return { restoration: { ...restoration, progress: JSON.stringify(erased), endedAt: now } }
    case 'lost':
      return finishedMeanwhile(store, restoreId)
    case 'slug_taken':
      return {
        refusal:
          'Another organization has taken the slug meanwhile. Change the slug of that one, and finish then.',
      }
    case 'parent_missing':
      return { refusal: `There is no organization ${parentId ?? ''} in this place, which is the parent.` }
    case 'moving':
      return { refusal: 'The family of the parent is being moved. Finish when "org show" names no move.' }
  }
}

/** The organization's clock must not be behind its rows. */
function latestOf(instants: readonly (StoredValue | undefined)[]): string {
  return instants.reduce<string>((latest, at) => (String(at ?? '') > latest ? String(at) : latest), '')
}

async function opened<Outcome>(open: () => Promise<Outcome>): Promise<Outcome | 'moving'> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof MovingError) return 'moving'
    throw error
  }
}

/** The answer when another call was faster. */
async function finishedMeanwhile(store: WholeStore, restoreId: string): Promise<RestoreAnswer | null> {
  const restoration = await store.restoration()
  return restoration?.restoreId === restoreId && restoration.endedAt !== null ? { restoration } : null
}

/** Some fields of all rows of a table. */
async function valuesIn(
  store: WholeStore,
  table: string,
  fields: readonly string[],
): Promise<readonly (readonly StoredValue[])[]> {
  const columns = (await store.table(table))?.columns ?? []
  const places = fields.map((field) => columns.findIndex((column) => column.field === field))
  const found: (readonly StoredValue[])[] = []
  let after: ArchivePosition | null = null
  do {
    const { rows, next } = await store.read(table, after)
    found.push(...rows.map((row) => places.map((place) => row[place] ?? null)))
    after = next
  } while (after !== null)
  return found
}
