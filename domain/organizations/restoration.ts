import type { Administration, OperatorKeys } from '../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import type { Restoration, OrganizationStore } from '../../ports/archives.ts'
import type { Secrets } from '../access/secrets.ts'
import type { ErasureLedger } from '../../ports/erasure.ts'
import type { RestorePlaces } from '../placement/operators/restore-places.ts'
import * as v from 'valibot'
import { parsedOr } from '../text/encoding.ts'
import { ArchivedFile, Lineage } from './archive.ts'

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
