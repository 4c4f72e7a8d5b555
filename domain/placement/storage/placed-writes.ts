import type {
  SaveOrganizationOutcome,
  Organization,
  RetentionSettings,
  PlaceRefusal,
} from '../../../ports/organizations.ts'
import type { OperatorChanges } from '../../../ports/operators.ts'
import type {
  Place,
  PlaceChoice,
  FamilyDatabases,
  OwnPlace,
  SharedPlace,
  HeldForm,
} from '../../../ports/placement.ts'
import type { Storage } from '../../../ports/storage.ts'
import {
  atKey,
  atPlace,
  IN_SHARED,
  inPlace,
  SHARED,
  lookUp,
  toPlace,
  type AllPlaces,
  type LoggedPlaces,
} from '../find/at-place.ts'
import { ElsewhereError, MovingError, unlessElsewhere } from '../find/errors.ts'
import type { ImportSession, ImportSessions } from '../../../ports/import-sessions.ts'
import { bucketCount } from '../../imports/file/transfer.ts'
import { relayed } from '../../../ports/relayed.ts'
import { toInstant } from '../../text/instant.ts'
import { forms } from '../../resources/forms.ts'

/** The changes that are written in an organization's place. */
export type PlacedWrites = Pick<OperatorChanges, 'saveOrganization' | 'addKey' | 'revokeKey' | 'rotateKey'>

/** Opens the writes of one place. */
type OpenWrites = (storage: Storage, place: Place) => PlacedWrites

/**
 * Writes organizations and keys in the right place. Names that are new in a family's database are entered in the
 * directory first.
 */
export function placedWrites(places: AllPlaces, open: OpenWrites): PlacedWrites {
  return {
    saveOrganization: (organization, replaced, choice, retention) =>
      saveOrganization({ organization, replaced, choice: choice ?? null, retention }, places, open),
    async addKey(key) {
      const { organizationId, keyId, issuedBy } = key
      if (organizationId === null) return open(places.storageAt(SHARED, true), SHARED).addKey(key)
      return atPlace(organizationId, places, async (storage, place) => {
        if (place.kind === 'own') await places.directory.reserveKey(keyId, organizationId, issuedBy)
        return open(storage, place).addKey(key)
      })
    },
    revokeKey: (keyId, revokedAt) =>
      atKey(keyId, places, (storage, place) => open(storage, place).revokeKey(keyId, revokedAt)),
    rotateKey: (rotation) =>
      atKey(rotation.keyId, places, async (storage, place) => {
        const { organizationId, keyId, issuedBy } = rotation.successor
        if (place.kind === 'own' && organizationId !== null)
          await places.directory.reserveKey(keyId, organizationId, issuedBy)
        return open(storage, place).rotateKey(rotation)
      }),
  }
}

interface Saving {
  readonly organization: Organization
  readonly replaced: Organization | null | undefined
  readonly choice: PlaceChoice | null
  readonly retention: RetentionSettings | undefined
}

/** How often a change is repeated when the family of the organization, or of its parent, was moved meanwhile. */
const MOVES_MAX = 3

async function saveOrganization(
  saving: Saving,
  places: AllPlaces,
  open: OpenWrites,
): Promise<SaveOrganizationOutcome> {
  for (let moves = 0; ; moves += 1) {
    try {
      const outcome = await saveOnce(saving, places, open)
      if (outcome !== 'elsewhere' || moves > 0) return outcome
    } catch (error) {
      if (error instanceof MovingError) return 'moving'
      if (!(error instanceof ElsewhereError) || moves === MOVES_MAX) throw error
    }
  }
}

/** Saves an organization. Rejects with an `ElsewhereError` when a family was moved since its place was looked up. */
async function saveOnce(
  { organization, replaced, choice, retention }: Saving,
  places: AllPlaces,
  open: OpenWrites,
): Promise<SaveOrganizationOutcome> {
  const target = await targetOf(organization, choice, places)
  if (typeof target === 'string') return target
  const save = (storage: Storage, at: Place) =>
    open(storage, at).saveOrganization(organization, replaced, undefined, retention)
  if (target.kind === 'shared') return inPlace(IN_SHARED, places, save)
  const { organizationId, slug } = organization
  const { directory, memory, databases } = places
  const { familyId } = target
  const place = await directory.reserve({ organizationId, familyId, choice: target.choice, slug })
  if (typeof place === 'string') return place
  // The database of a stored organization exists. It may be about to be emptied by a move, and must not be created
  // again.
  if (organizationId === familyId && replaced == null) await databases?.create(place)
  memory.remember(organizationId, place)
  const held = await directory.slugsOf(organizationId)
  const outcome = await inPlace({ place, isConfirmed: true }, places, save)
  await freeSlugs(organizationId, held, outcome, places)
  return outcome
}

/**
 * Frees the slugs that an organization held when its change began and no longer has. A slug that is reserved for a
 * later change is not among them. A change that came too late (`changed`) frees none, because the change before it
 * does.
 */
async function freeSlugs(
  organizationId: string,
  held: readonly string[],
  outcome: SaveOrganizationOutcome,
  places: AllPlaces,
): Promise<void> {
  if (outcome === 'changed' || held.length === 0) return
  const stored = await findOrganization(organizationId, places)
  const unused = held.filter((slug) => slug !== stored?.slug)
  if (unused.length > 0) await places.directory.freeSlugs(organizationId, unused)
}

/** A family's database, which may have to be created first. */
interface OwnTarget {
  readonly kind: 'own'
  readonly familyId: string
  /** Where to create the database; null: it exists. */
  readonly choice: Pick<OwnPlace, 'region' | 'jurisdiction'> | null
}

/** Where an organization belongs: its present place, or that of its parent, or the place chosen for its family. */
export async function targetOf(
  { organizationId, parentId }: Pick<Organization, 'organizationId' | 'parentId'>,
  choice: PlaceChoice | null,
  places: AllPlaces,
): Promise<SharedPlace | OwnTarget | 'elsewhere' | PlaceRefusal | 'parent_missing'> {
  const parentPlace = parentId === null ? null : await storedPlace(parentId, places)
  const place = (await presentPlace(organizationId, places)) ?? parentPlace ?? choice ?? SHARED
  if (choice !== null && !isChosen(place, choice)) return 'elsewhere'
  const isParentMissing = parentId !== null && parentPlace === null
  if (place.kind === 'shared') {
    if (parentPlace?.kind === 'own') return 'elsewhere'
    // The shared database itself checks whether it has the parent. Only a parent that is reserved for another place
    // must be refused here.
    const isReserved = isParentMissing && (await lookUp(parentId, places)).kind === 'own'
    return isReserved ? 'parent_missing' : SHARED
  }
  const refusal = refusalOf(place, places.databases)
  if (refusal !== null) return refusal
  if (isParentMissing) return 'parent_missing'
  if (!isDatabase(place)) return { kind: 'own', familyId: organizationId, choice: place }
  const isKept =
    parentId === null ? organizationId === place.familyId : isOfFamily(parentPlace, place.familyId)
  return isKept ? { kind: 'own', familyId: place.familyId, choice: null } : 'elsewhere'
}

/** Why the platform cannot provide a database of its own; null: it can. */
export function refusalOf(
  { jurisdiction }: Pick<OwnPlace, 'jurisdiction'>,
  databases: Pick<FamilyDatabases, 'knows'> | null,
): PlaceRefusal | null {
  if (databases === null) return 'no_places'
  return jurisdiction === null || databases.knows(jurisdiction) ? null : 'no_jurisdiction'
}

/**
 * The organization as it is stored; null: there is none. That includes an organization that was only reserved, in a
 * database that was never created: whoever creates it uses the reservation.
 */
export function findOrganization(organizationId: string, places: AllPlaces): Promise<Organization | null> {
  return unlessElsewhere(() =>
    atPlace(organizationId, places, ({ administration }) => administration.findOrganization(organizationId)),
  )
}

/** Where an organization is stored; null: nowhere. */
async function storedPlace(organizationId: string, places: AllPlaces): Promise<Place | null> {
  const found = await findOrganization(organizationId, places)
  return found === null ? null : (places.memory.get(organizationId) ?? SHARED)
}

/** Where an organization is, or is reserved to be; null: there is no organization with that id. */
async function presentPlace(organizationId: string, places: AllPlaces): Promise<Place | null> {
  const place = await lookUp(organizationId, places)
  if (place.kind === 'own') return place
  const found = await findOrganization(organizationId, places)
  return found === null ? null : (places.memory.get(organizationId) ?? SHARED)
}

function isChosen(place: Place | PlaceChoice, choice: PlaceChoice): boolean {
  if (place.kind === 'shared' || choice.kind === 'shared') return place.kind === choice.kind
  const isPlain = choice.region === null && choice.jurisdiction === null
  return isPlain || (place.region === choice.region && place.jurisdiction === choice.jurisdiction)
}

/** Whether a place is a family's existing database, as opposed to the choice of one. */
function isDatabase(place: OwnPlace | Exclude<PlaceChoice, SharedPlace>): place is OwnPlace {
  return 'familyId' in place
}

function isOfFamily(place: Place | null, familyId: string): boolean {
  return place?.kind === 'own' && place.familyId === familyId
}

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

/** How long the id of a form stays reserved for an organization that has not stored the form. */
const RESERVED_MS = 3_600_000

/** Reserves ids of forms. Ids that were reserved long ago and never used are freed. False: one of the ids is taken. */
export async function reserveForms(
  formIds: readonly string[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<boolean> {
  const held = await places.directory.reserveForms(organizationId, formIds)
  if (held === null || held.length === 0) return held !== null
  if ((await freeUnused(held, places)).length > 0) return false
  return (await places.directory.reserveForms(organizationId, formIds))?.length === 0
}

/** The given ids that other organizations hold. Ids that were reserved long ago and never used are freed. */
export async function formsOfOthers(
  formIds: readonly string[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<readonly string[]> {
  const held = await places.directory.formsOfOthers(organizationId, formIds)
  return (await freeUnused(held, places)).map(({ formId }) => formId)
}

/** Frees ids that were reserved long ago for forms that do not exist. Returns the ids that remain held. */
async function freeUnused(held: readonly HeldForm[], places: LoggedPlaces): Promise<readonly HeldForm[]> {
  const until = toInstant(places.clock.nowMs() - RESERVED_MS)
  const isOld = ({ reservedAt }: HeldForm) => reservedAt !== null && reservedAt <= until
  const kept = held.filter((form) => !isOld(form))
  for (const [organizationId, theirs] of Map.groupBy(held.filter(isOld), (form) => form.organizationId)) {
    const stored = await storedOf(theirs, organizationId, places)
    const used = theirs.filter(({ formId }) => stored?.has(formId) ?? true)
    kept.push(...used)
    if (stored === null) continue
    const unused = theirs.filter(({ formId }) => !stored.has(formId))
    await places.directory.settleForms(organizationId, idsOf(used))
    await places.directory.freeForms(organizationId, idsOf(unused), until)
  }
  return kept
}

const idsOf = (held: readonly HeldForm[]) => held.map(({ formId }) => formId)

/**
 * The held ids for which the holder has stored a form. Null: the holder's database does not answer, so it may have all
 * of them.
 */
async function storedOf(
  held: readonly HeldForm[],
  organizationId: string,
  places: LoggedPlaces,
): Promise<ReadonlySet<string> | null> {
  try {
    const rows = await atPlace(organizationId, places, (storage) =>
      storage.tenant(organizationId).findMany(forms.collection, [forms.idField], idsOf(held)),
    )
    return new Set(rows.map(({ formId }) => String(formId)))
  } catch (cause) {
    places.log.error('family_unanswered', { organizationId }, cause)
    return null
  }
}
