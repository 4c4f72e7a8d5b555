import * as v from 'valibot'
import type { RestoredOrganization, RestorePlaces } from '../placement/operators/overview.ts'
import type { PlaceChoice, StoredValue } from '../../ports/placement.ts'
import type {
  ArchivedTable,
  Restoration,
  OrganizationStore,
  ErasureLedger,
} from '../../ports/organization-store.ts'
import { unlessElsewhere } from '../placement/find/errors.ts'
import { isOrganizationId } from '../access/keys.ts'
import { randomBase62, listOf, membersOf, parsedOr } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import {
  copyFiles,
  ORGANIZATIONS,
  tableOfFile,
  rowOfMembers,
  type Manifest,
  type OrganizationFile,
  ArchivedFile,
  Lineage,
} from './archive.ts'
import { AHEAD_MS } from './read-archive.ts'
import { FORM_ID_MAX_LENGTH } from '../forms/language/definition.ts'
import type { Administration, OperatorKeys } from '../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { Secrets } from '../access/secrets.ts'

/** The ports by which an organization is restored. */
export interface RestoreWorld {
  readonly organizationStore: (organizationId: string) => OrganizationStore
  readonly restorePlaces: RestorePlaces
  readonly administration: Pick<Administration, 'findOrganization'>
  readonly operatorKeys: Pick<OperatorKeys, 'endedWithDescent'>
  readonly secrets: Secrets
  readonly erasures: ErasureLedger
  readonly clock: Clock
  readonly random: RandomSource
}

/** The restoration after a step, or a sentence that refuses the step. */
export type RestoreAnswer = { readonly restoration: Restoration } | { readonly refusal: string }

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const position = v.array(v.union([v.string(), v.number(), v.null()]))

/** How far people were erased again. It holds no address. */
export const ErasingAgain = v.object({
  /** Tells whether somebody else was erased meanwhile. */
  marks: v.string(),
  /** The `updatedAt` of what is erased, and the least that the organization's clock then says. */
  at: v.string(),
  /** What comes next: recorded contacts from this number on, then rows of this table after a position. */
  contact: count,
  table: count,
  after: v.nullable(position),
  /** How many contacts and rows were changed. */
  contacts: count,
  rows: count,
  /** How many addresses cannot be compared, because they were hashed under a root secret that is gone. */
  unreadable: count,
  isDone: v.boolean(),
})

export type ErasingAgain = v.InferOutput<typeof ErasingAgain>

/** What the service knows of an archive while it restores it. */
export const RestoreProgress = v.object({
  files: v.array(ArchivedFile),
  /** The organization's row as it will be stored, by field. */
  row: v.record(v.string(), v.nullable(v.union([v.string(), v.number()]))),
  parentId: v.nullable(v.string()),
  lineage: Lineage,
  /** How far people were erased again who were erased after the archive was made; left out: that has not begun. */
  erasing: v.exactOptional(ErasingAgain),
  /** The new id of each form of the archive; empty: forms keep theirs. */
  formIds: v.optional(v.record(v.string(), v.string()), {}),
  /** The latest `updatedAt` of the rows that came so far; empty: they have none. */
  changedAt: v.optional(v.string(), ''),
  /** Whether keys in the archive are for this organization. They contain its id, so under another one they are useless. */
  isSameId: v.boolean(),
  /** Whether keys and the hashes of form passwords are in the archive. */
  secrets: v.boolean(),
  /** How many rows of each file came so far. */
  rows: v.record(v.string(), count),
  /** How many keys were not restored, because this service could not prove them. */
  keysLeft: count,
})

export type RestoreProgress = v.InferOutput<typeof RestoreProgress>

/** Said of a restoration whose progress another version of the service wrote in its own way. */
export const UNREADABLE =
  'Another version of the service began this restoration, and this one cannot continue it. Delete the organization, and restore it again.'

/** Null: another version of the service wrote it in its own way. */
export function progressOf({ progress }: Restoration): RestoreProgress | null {
  const checked = v.safeParse(RestoreProgress, parsedOr(progress, null))
  return checked.success ? checked.output : null
}

/** How many rows of the archive came so far, and how many there are. */
export function rowsOf({ files, rows }: RestoreProgress): { readonly written: number; readonly all: number } {
  return {
    written: Object.values(rows).reduce((sum, count) => sum + count, 0),
    all: files.reduce((sum, file) => sum + file.rows, 0),
  }
}

/** An archive to restore, and how. */
interface RestoreRequest {
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
  /** Why `org create` would refuse settings; null: it would not. */
  readonly settingsProblem: (settings: Readonly<Record<string, unknown>>) => string | null
  /** The ids of all forms in the archive. */
  readonly formIds: readonly string[]
  /** Whether every form gets a new id. */
  readonly newFormIds: boolean
}

const ID_LENGTH = 22

/** New ids are kept in the record of the restoration, whose row has a bound. */
const FORM_IDS_MAX_LENGTH = 1_000_000

/** Closes an organization for an archive that will be written into it, or finds the restoration of this very archive. */
export async function beginRestoring(request: RestoreRequest, world: RestoreWorld): Promise<RestoreAnswer> {
  const { organizationId, archive, digest, manifest, organization } = request
  const store = world.organizationStore(organizationId)
  // The directory may name a database that was never made: an earlier call stopped in between.
  const known = await unlessElsewhere(() => store.restoration())
  if (known?.endedAt === null)
    return known.digest === digest
      ? { restoration: known }
      : { refusal: `${organizationId} is being restored from another archive, ${known.archive}.` }
  const tables = await world.organizationStore('').tables()
  const misfit = misfitOf(manifest, tables)
  if (misfit !== null) return { refusal: misfit }
  const row = rowOf(request, tables)
  if (typeof row === 'string') return { refusal: row }
  const settings = settingsRefusal(request)
  if (settings !== null) return { refusal: settings }
  const prepared = await prepare(request, row, world)
  if (typeof prepared === 'string') return { refusal: prepared }
  const formIds = request.newFormIds ? Object.values(prepared) : request.formIds
  const { parentId = null, slug = null } = row
  const progress: RestoreProgress = {
    files: manifest.files,
    row,
    parentId: parentId === null ? null : String(parentId),
    lineage: [manifest.organizationId, ...(organization.origins ?? [])],
    formIds: prepared,
    changedAt: '',
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
  const place = world.organizationStore(organizationId)
  const lacking = misfitOf(manifest, await place.tables())
  if (lacking !== null) return { refusal: lacking }
  if (!(await world.restorePlaces.reserve(organizationId, formIds)))
    return { refusal: 'Another organization takes one of the forms, or imports forms. Try again.' }
  const outcome = await place.begin(restoration, slug === null ? null : String(slug))
  if (outcome === 'begun') return { restoration }
  await world.restorePlaces.free(organizationId, formIds)
  switch (outcome) {
    case 'restoring':
      return { refusal: `${organizationId} is being restored already, or deleted.` }
    case 'has_rows':
      return {
        refusal: `${organizationId} has rows. ${
          // The call that opened it may have ended before it said anything.
          known?.digest === digest
            ? 'It was restored from this very archive: it is open, and a webhook whose secret nobody has gets one with "webhook rotate ID". To restore it again, restore'
            : 'Restore'
        } into another organization with --id, or delete it before.`,
      }
    case 'slug_taken':
      return { refusal: slugTaken(slug) }
  }
}

/** Settings are restored as they are created, so what `org create` refuses is refused, in the same words. */
function settingsRefusal({ organization, slug, settingsProblem }: RestoreRequest): string | null {
  return settingsProblem(slug === undefined ? organization.row : { ...organization.row, slug })
}

/** Why the organization's clock is refused: with one that is ahead, everything written from now on would be dated then. */
function clockRefusal({ clockAt }: Readonly<Record<string, StoredValue>>, nowMs: number): string | null {
  const at = typeof clockAt === 'string' ? Date.parse(clockAt) : Number.NaN
  if (Number.isNaN(at) || toInstant(at) !== clockAt)
    return 'organization.json has no instant as its clock (clockAt), in UTC with milliseconds.'
  if (at <= nowMs + AHEAD_MS) return null
  return `The archive's clock (clockAt) says ${clockAt}, more than a day after the time of this service. The archive is damaged, or one of the clocks is wrong.`
}

/** Why the archive has rows that this service cannot hold; null: it can. */
function misfitOf({ files, organizationId }: Manifest, tables: readonly ArchivedTable[]): string | null {
  if (!isOrganizationId(organizationId)) return 'manifest.json names no organization.'
  const twice = files.find(({ file }, index) => files.findIndex((other) => other.file === file) !== index)
  if (twice !== undefined) return `manifest.json names ${twice.file} twice.`
  for (const { file, columns } of files.filter((each) => copyFiles[each.file] === undefined)) {
    const table = tables.find(({ name }) => name === tableOfFile(file))
    const unknown = columns.find((field) => table?.columns.every((column) => column.field !== field))
    if (table === undefined || table.name === ORGANIZATIONS)
      return `The archive has a file ${file}, which this service does not know. A later version of the service wrote it.`
    if (new Set(columns).size !== columns.length) return `manifest.json names a field of ${file} twice.`
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

/** Prepares the organization's place. Returns the new ids of forms, or why it cannot be restored. */
async function prepare(
  { organizationId, organization, choice, formIds, newFormIds: isRenaming }: RestoreRequest,
  row: Readonly<Record<string, StoredValue>>,
  { administration, restorePlaces, clock }: RestoreWorld,
): Promise<FormIds | string> {
  const { parentId = null, slug = null } = row
  // The types of these columns were checked: they hold texts.
  const asked = { organizationId, parentId, slug } as RestoredOrganization
  const above = await parentRefusal(asked, administration)
  if (above !== null) return above
  const ahead = clockRefusal(row, clock.nowMs())
  if (ahead !== null) return ahead
  const heldOf = (ids: readonly string[]) => restorePlaces.formsOfOthers(organizationId, ids)
  const renamed = isRenaming ? await newFormIds(formIds, heldOf) : {}
  if (renamed === null || JSON.stringify(renamed).length > FORM_IDS_MAX_LENGTH)
    return 'The archive has too many forms to give each a new id.'
  const held = isRenaming ? [] : await heldOf(formIds)
  if (held.length > 0)
    return `Another organization has ${held.length === 1 ? 'the form' : 'the forms'} ${held.slice(0, 10).join(', ')}. Ids of forms are unique in the whole service: --form-ids new gives every form of the archive a new one.`
  const isFree = asked.parentId === null && (await administration.findOrganization(organizationId)) === null
  const place = choice ?? (isFree ? archivedPlace(organization) : null)
  switch (await restorePlaces.prepare(asked, place)) {
    case 'ready':
      return renamed
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

/** Why the parent is refused: it does not exist, or it is the organization itself, or below it. */
async function parentRefusal(
  { organizationId, parentId }: RestoredOrganization,
  { findOrganization }: RestoreWorld['administration'],
): Promise<string | null> {
  if (parentId === organizationId) return 'An organization cannot be its own parent.'
  let above = parentId
  for (let levels = 0; above !== null && levels < LEVELS_MAX; levels += 1) {
    const found = await findOrganization(above)
    if (found === null && levels === 0)
      return `There is no organization ${above}, which is the parent of ${organizationId}: restore it before.`
    above = found?.parentId ?? null
    if (above === organizationId)
      return `${String(parentId)} is below ${organizationId}, so it cannot be the parent.`
  }
  return null
}

/** How far up a circle is looked for. */
const LEVELS_MAX = 100

/** The place from which the organization was archived. */
function archivedPlace({ place, region, jurisdiction }: OrganizationFile): PlaceChoice {
  if (place === 'shared') return { kind: 'shared' }
  return { kind: 'own', region, jurisdiction }
}

function slugTaken(slug: StoredValue): string {
  return `Another organization has the slug ${String(slug)}. Give another one with --slug.`
}

// Ids of forms are unique in the whole service, so a restoration beside the organization that was archived gives every
// form another one. Whatever names a form by its id in a row names it by the new one; texts, as a public URL, stay.

/** The new id of each form of an archive. */
type FormIds = Readonly<Record<string, string>>

/** How many ids are looked up together, and how many are tried for a form before it is given up. */
const LOOKED_UP = 500
const TRIED_TOGETHER = 10
const TRIED_MAX = 1_000

/**
 * Chooses a new id for each form: `ID-2`, or the first number that is free. One that is too long for that is cut.
 * @param heldOf those of some ids that other organizations hold
 * @returns null: some form has no free id
 */
export async function newFormIds(
  formIds: readonly string[],
  heldOf: (formIds: readonly string[]) => Promise<readonly string[]>,
): Promise<FormIds | null> {
  const taken = new Set(formIds)
  const chosen: Record<string, string> = {}
  for (let start = 0; start < formIds.length; start += LOOKED_UP) {
    let waiting = [...new Set(formIds.slice(start, start + LOOKED_UP))]
    for (let first = 2; waiting.length > 0; first += TRIED_TOGETHER) {
      if (first > TRIED_MAX) return null
      const numbers = Array.from({ length: TRIED_TOGETHER }, (_, index) => first + index)
      const candidatesOf = (id: string) => numbers.map((number) => numbered(id, number))
      const held = new Set(await heldOf(waiting.flatMap(candidatesOf)))
      waiting = waiting.filter((id) => {
        const free = candidatesOf(id).find((candidate) => !held.has(candidate) && !taken.has(candidate))
        if (free === undefined) return true
        taken.add(free)
        chosen[id] = free
        return false
      })
    }
  }
  return chosen
}

function numbered(id: string, number: number): string {
  const end = `-${number}`
  return `${id.slice(0, FORM_ID_MAX_LENGTH - end.length)}${end}`
}

/** The fields whose value is the id of a form, and the documents in which the member `formId` is one. */
const FIELDS = ['formId', 'triggerFormId']
const DOCUMENTS = ['definition', 'trigger', 'payload']

type Row = readonly StoredValue[]

/** A row in which forms have their new ids. */
export function withFormIds(table: string, fields: readonly string[], row: Row, formIds: FormIds): Row {
  const newId = (value: unknown) =>
    typeof value === 'string' && Object.hasOwn(formIds, value) ? formIds[value] : undefined
  const isRemoval = table === 'removals' && row[fields.indexOf('collection')] === 'forms'
  return row.map((value, index) => {
    const field = fields[index] ?? ''
    if (FIELDS.includes(field) || (isRemoval && field === 'id')) return newId(value) ?? value
    if (isRemoval && field === 'removalId') {
      const parts = parsedOr(String(value), null)
      return Array.isArray(parts) ? JSON.stringify(parts.map((part: unknown) => newId(part) ?? part)) : value
    }
    if (field === 'formIds' && value !== null) {
      const ids = listOf(parsedOr(String(value), null))
      return JSON.stringify(ids.map((id) => newId(id) ?? id))
    }
    if (!DOCUMENTS.includes(field)) return value
    const document = membersOf(parsedOr(String(value), null))
    const formId = newId(document.formId)
    return formId === undefined ? value : JSON.stringify({ ...document, formId })
  })
}
