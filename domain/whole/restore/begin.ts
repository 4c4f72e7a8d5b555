import type { RestoredOrganization } from '../../placement/operators/restore-places.ts'
import type { PlaceChoice } from '../../../ports/placement/placement.ts'
import type { StoredValue } from '../../../ports/placement/move.ts'
import type { ArchivedTable } from '../../../ports/whole/whole-store.ts'
import { unlessElsewhere } from '../../placement/find/errors.ts'
import { randomBase62 } from '../../text/encoding.ts'
import { toInstant } from '../../text/instant.ts'
import type { Manifest, OrganizationFile } from '../archive/format.ts'
import { ORGANIZATIONS, tableOfFile } from '../archive/format.ts'
import { rowOfMembers } from '../archive/line.ts'
import type { RestoreProgress } from './progress.ts'
import type { RestoreAnswer, RestoreWorld } from './world.ts'

/** An archive to restore, and how. */
export interface RestoreRequest {
  readonly organizationId: string
  /** The archive's name, for people. */
  readonly archive: string
  /** SHA-256 of the manifest. */
  readonly digest: string
  readonly manifest: Manifest
  readonly organization: OrganizationFile
  /** The slug to have in place of the archived one; undefined: the archived one. */
  readonly slug: string | null | undefined
  readonly choice: PlaceChoice | null
  /** The ids of all forms in the archive. */
  readonly formIds: readonly string[]
}

const ID_LENGTH = 22

/** Closes an organization for an archive that will be written into it, or finds the restoration of this very archive. */
export async function beginRestoring(request: RestoreRequest, world: RestoreWorld): Promise<RestoreAnswer> {
  const { organizationId, archive, digest, manifest, organization } = request
  const store = world.whole(organizationId)
  // The directory may name a database that was never made: an earlier call stopped in between.
  const known = await unlessElsewhere(() => store.restoration())
  if (known?.endedAt === null)
    return known.digest === digest
      ? { restoration: known }
      : { refusal: `${organizationId} is being restored from another archive, ${known.archive}.` }
  const tables = await world.whole('').tables()
  const misfit = misfitOf(manifest, tables)
  if (misfit !== null) return { refusal: misfit }
  const row = rowOf(request, tables)
  if (typeof row === 'string') return { refusal: row }
  const refusal = await prepare(request, row, world)
  if (refusal !== null) return { refusal }
  const { parentId = null, slug = null } = row
  const progress: RestoreProgress = {
    files: manifest.files,
    row,
    parentId: parentId === null ? null : String(parentId),
    lineage: [manifest.organizationId, ...(organization.origins ?? [])],
    isSameId: manifest.organizationId === organizationId,
    secrets: manifest.secrets,
    rows: {},
    keysLeft: 0,
  }
  const restoration = {
    restoreId: `rst_${randomBase62(ID_LENGTH, (length) => world.random.bytes(length))}`,
    archive,
    digest,
    nextPart: 1,
    progress: JSON.stringify(progress),
    startedAt: toInstant(world.clock.nowMs()),
    endedAt: null,
  }
  // The place may be a new one, so the store is opened anew. While a version is deployed, it may lack a column.
  const place = world.whole(organizationId)
  const lacking = misfitOf(manifest, await place.tables())
  if (lacking !== null) return { refusal: lacking }
  const outcome = await place.begin(restoration, slug === null ? null : String(slug))
  switch (outcome) {
    case 'begun':
      return { restoration }
    case 'restoring':
      return { refusal: `${organizationId} is being restored already, or deleted.` }
    case 'has_rows':
      return {
        refusal: `${organizationId} has rows. Restore into another organization with --id, or delete it before.`,
      }
    case 'slug_taken':
      return { refusal: slugTaken(slug) }
  }
}

/** Why the archive has rows that this service cannot hold; null: it can. */
function misfitOf({ files }: Manifest, tables: readonly ArchivedTable[]): string | null {
  for (const { file, columns } of files) {
    const table = tables.find(({ name }) => name === tableOfFile(file))
    const unknown = columns.find((field) => table?.columns.every((column) => column.field !== field))
    if (table === undefined || table.name === ORGANIZATIONS)
      return `The archive has a file ${file}, which this service does not know. A later version of the service wrote it.`
    if (unknown !== undefined)
      return `${file} has a field ${unknown}, which this service does not know. A later version of the service wrote it.`
  }
  return null
}

/** The organization's row as it will be stored, or why it cannot be. */
function rowOf(
  { organization, slug }: RestoreRequest,
  tables: readonly ArchivedTable[],
): Readonly<Record<string, StoredValue>> | string {
  const given = organization.row
  const columns = tables.find(({ name }) => name === ORGANIZATIONS)?.columns ?? []
  const present = columns.filter(({ field }) => field in given)
  const reading = rowOfMembers(given, present)
  if ('problem' in reading) return `organization.json ${reading.problem}.`
  const row = Object.fromEntries(present.map(({ field }, index) => [field, reading.row[index] ?? null]))
  return slug === undefined ? row : { ...row, slug }
}

/** Prepares the organization's place. Returns why it cannot be restored; null: it can. */
async function prepare(
  { organizationId, organization, choice, formIds }: RestoreRequest,
  { parentId = null, slug = null }: Readonly<Record<string, StoredValue>>,
  { administration, restorePlaces }: RestoreWorld,
): Promise<string | null> {
  const held = await restorePlaces.formsOfOthers(organizationId, formIds)
  if (held.length > 0)
    return `Another organization has ${held.length === 1 ? 'the form' : 'the forms'} ${held.slice(0, 10).join(', ')}. Ids of forms are unique in the whole service.`
  // The types of these columns were checked: they hold texts.
  const asked = { organizationId, parentId, slug } as RestoredOrganization
  if (asked.parentId !== null && (await administration.findOrganization(asked.parentId)) === null)
    return `There is no organization ${asked.parentId}, which is the parent of ${organizationId}: restore it before.`
  const isFree = asked.parentId === null && (await administration.findOrganization(organizationId)) === null
  const place = choice ?? (isFree ? archivedPlace(organization) : null)
  switch (await restorePlaces.prepare(asked, place)) {
    case 'ready':
      return null
    case 'slug_taken':
      return slugTaken(slug)
    case 'parent_missing':
      return `There is no organization ${String(parentId)}, which is the parent of ${organizationId}: restore it before.`
    case 'elsewhere':
      return `${organizationId}, or its parent, lives in another place already. Leave --place out.`
    case 'no_places':
      return 'This service has no databases of their own for organizations (no binding FAMILIES). Restore it with --place shared.'
    case 'no_jurisdiction':
      return 'The platform cannot keep a database within this jurisdiction. Choose a place with --place and --region.'
  }
}

/** The place from which the organization was archived. */
function archivedPlace({ place, region, jurisdiction }: OrganizationFile): PlaceChoice {
  if (place === 'shared') return { kind: 'shared' }
  return { kind: 'own', region, jurisdiction }
}

function slugTaken(slug: StoredValue): string {
  return `Another organization has the slug ${String(slug)}. Give another one with --slug.`
}
