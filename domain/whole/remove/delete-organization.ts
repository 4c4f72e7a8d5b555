import { unlessElsewhere } from '../../placement/find/errors.ts'
import { toInstant } from '../../text/instant.ts'
import { REQUEST_MS, type RemovalWorld } from './world.ts'

/** What a request deleted of an organization. */
export interface Deleted {
  /** How many rows, by the name of their table. */
  readonly rows: Readonly<Record<string, number>>
  /** Whether nothing is left, and the id is free. */
  readonly isDone: boolean
}

/**
 * Deletes an organization, for a bounded time: first its keys and forms end, then all of its rows are removed, then what
 * the directory holds. Called again, it goes on where it stopped.
 */
export async function deleteOrganization(
  organizationId: string,
  world: RemovalWorld,
): Promise<Deleted | 'has_children' | 'unknown'> {
  const { clock, deletionPlaces } = world
  const untilMs = clock.nowMs() + REQUEST_MS
  const store = world.whole(organizationId)
  // An earlier deletion may have removed the database, and stopped before the directory knew.
  const begun = await unlessElsewhere(() => store.beginDeletion(toInstant(clock.nowMs())))
  if (begun === 'has_children') return begun
  if (begun === 'unknown' && !(await deletionPlaces.isPlaced(organizationId))) return begun
  const rows: Record<string, number> = {}
  for (;;) {
    const deleted = await unlessElsewhere(() => store.deleteSome())
    if (deleted === null) break
    rows[deleted.table] = (rows[deleted.table] ?? 0) + deleted.rows
    if (clock.nowMs() >= untilMs) return { rows, isDone: false }
  }
  await deletionPlaces.release(organizationId)
  return { rows, isDone: true }
}
