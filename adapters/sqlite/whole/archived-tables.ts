import { organizationFields, storedFieldShape } from '../../../domain/record/stored-fields.ts'
import { resources } from '../../../domain/resources/index.ts'
import type { MovedTable, StoredValue } from '../../../ports/placement/move.ts'
import type { ArchivedColumn, ArchivedTable } from '../../../ports/archives.ts'
import { readDescribedTables, type DescribedTable } from '../move/moved-tables.ts'
import type { Executor } from '../statement/executor.ts'
import { columnName } from '../database/column-name.ts'
import { tableOf } from '../table/tables.ts'

/** Why rows of a table are in no archive. */
type Reason = string

/** Tables of organizations that are not archived. */
export const unarchivedTables: Readonly<Record<string, Reason>> = {
  import_sessions: 'an import is begun again where it is needed',
  import_parts: 'a part of an import',
  import_chunks: 'a part of an import',
  import_keys: 'a part of an import',
  send_requests: 'a key is known for a day, to the service that sent',
  restores: 'how the organization itself was restored',
}

/** Columns and tables that prove who somebody is. */
const secretColumns: Readonly<Record<string, readonly string[]>> = { forms: ['password_hash'] }
const secretTables: readonly string[] = ['api_keys']

/** A column whose value follows from the organization's id and from other columns. */
type Following = (organizationId: string, valueOf: (column: string) => StoredValue) => StoredValue

/** The columns that follow, by table. */
const followingColumns: Readonly<Record<string, Readonly<Record<string, Following>>>> = {
  visible_reviews: {
    owner_id: (organizationId) => organizationId,
    row_id: (organizationId, valueOf) => `${String(valueOf('review_id'))} ${organizationId}`,
  },
  // It tells of the database when a record was written there.
  sends: { updated_at: () => '' },
}

/** An archived table, and how its rows are stored. */
export interface StoredTable {
  readonly archived: ArchivedTable
  readonly moved: MovedTable
  /** The name of the stored column of each archived one, in their order. */
  readonly names: readonly string[]
  readonly following: Readonly<Record<string, Following>>
}

const OWNER = 'organization_id'

/**
 * The tables of archives, read from the schema of a database.
 * @param only the name of one table; null: all
 */
export async function readArchivedTables(
  executor: Executor,
  only: string | null = null,
): Promise<readonly StoredTable[]> {
  const described = await readDescribedTables(executor, only)
  return described.filter(({ moved }) => !(moved.name in unarchivedTables)).map(storedTable)
}

function storedTable({ moved, columns: described }: DescribedTable): StoredTable {
  const following = followingColumns[moved.name] ?? {}
  const names = moved.columns.filter((column) => column !== OWNER && !(column in following))
  const holding = heldIn(moved.name)
  const columns = names.map((name): ArchivedColumn => {
    const shape = described.find(({ column }) => column === name)
    return {
      field: fieldName(name),
      type: shape?.type === 'INTEGER' ? 'integer' : shape?.type === 'REAL' ? 'real' : 'text',
      isNullable: shape?.nullable === 1,
      holds: holding.get(name) ?? 'value',
      isSecret: secretColumns[moved.name]?.includes(name) === true,
    }
  })
  const archived = { name: moved.name, columns, isSecret: secretTables.includes(moved.name) }
  return { archived, moved, names, following }
}

/** What the columns of a table hold, as the records declare it. Tables without a record hold plain values. */
function heldIn(table: string): ReadonlyMap<string, ArchivedColumn['holds']> {
  const wordOf = { json: 'document', boolean: 'truth' } as const
  const heldBy = (name: string, storage: string): readonly [string, ArchivedColumn['holds']] => [
    name,
    storage === 'json' || storage === 'boolean' ? wordOf[storage] : 'value',
  ]
  if (table === 'organizations')
    return new Map(
      Object.entries(organizationFields).map(([field, word]) =>
        heldBy(columnName(field), storedFieldShape(word).storage),
      ),
    )
  if (table === 'outbox') return new Map([['payload', 'document']])
  const tables = resources.map(({ collection }) => tableOf(collection))
  const columns = tables.find(({ name }) => name === table)?.columns.values() ?? []
  return new Map([...columns].map(({ name, storage }) => heldBy(name, storage)))
}

/** The name of a column's values in archives: `google_place_id` is `googlePlaceId`. */
function fieldName(column: string): string {
  return column.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
