import * as v from 'valibot'
import type { ArchivedTable, Restoration, WholeStore } from '../../../ports/archives.ts'
import type { PlaceDescription } from '../../placement/operators/overview.ts'
import { fileOfTable, Lineage, ORGANIZATIONS, ORIGINS_MAX, tableOfFile } from './format.ts'
import { parsedOr } from '../../text/json.ts'
import { membersOfRow } from './line.ts'
import type { ArchiveHead, ArchiveLines, ArchiveSource } from './source.ts'

/** An organization that is read from its own store, to be archived. */
export interface LocalOrganization {
  readonly organizationId: string
  readonly store: WholeStore
  readonly withSecrets: boolean
}

/** The head of an organization's archive; null: there is no organization. */
export async function readHead(
  { organizationId, store, withSecrets }: LocalOrganization,
  { place, region, jurisdiction }: PlaceDescription,
): Promise<ArchiveHead | null> {
  const tables = await store.tables()
  const columns = tables.find(({ name }) => name === ORGANIZATIONS)?.columns ?? []
  const [row] = (await store.read(ORGANIZATIONS, null)).rows
  if (row === undefined) return null
  const origins = originsOf(organizationId, await store.restoration())
  return {
    organization: {
      organizationId,
      place,
      region,
      jurisdiction,
      row: membersOfRow(row, columns, withSecrets),
      ...(origins.length === 0 ? {} : { origins }),
    },
    secrets: withSecrets,
    files: archivedWith(tables, withSecrets).map(({ name, columns: of }) => ({
      file: fileOfTable(name),
      columns: of.map(({ field }) => field),
    })),
  }
}

/** The other organizations from whose archives an organization was restored. */
function originsOf(organizationId: string, restoration: Restoration | null): string[] {
  const progress = v.safeParse(v.object({ lineage: Lineage }), parsedOr(restoration?.progress ?? '', null))
  const lineage = progress.success ? progress.output.lineage : []
  return [...new Set(lineage)].filter((id) => id !== organizationId).slice(0, ORIGINS_MAX)
}

/** The tables with files of their own. */
function archivedWith(tables: readonly ArchivedTable[], withSecrets: boolean): readonly ArchivedTable[] {
  return tables.filter((table) => isArchivedWith(table, withSecrets))
}

function isArchivedWith({ name, isSecret }: ArchivedTable, withSecrets: boolean): boolean {
  return name !== ORGANIZATIONS && (withSecrets || !isSecret)
}

/** Lines of a file. Null: archives have no such file. */
export async function readLines(
  { store, withSecrets }: LocalOrganization,
  file: string,
  after: ArchiveLines['next'],
): Promise<ArchiveLines | null> {
  const table = await store.table(tableOfFile(file) ?? '')
  if (table === null || !isArchivedWith(table, withSecrets)) return null
  const { rows, next } = await store.read(table.name, after)
  const lines = rows.map((row) => `${JSON.stringify(membersOfRow(row, table.columns, withSecrets))}\n`)
  return { lines: lines.join(''), rows: rows.length, next }
}

/**
 * The source for an archive of an organization in this process.
 * @param placeOf finds where it lives; null: it does not exist
 */
export function openLocalSource(
  local: LocalOrganization,
  placeOf: () => Promise<PlaceDescription | null>,
): ArchiveSource {
  const head = async () => {
    const place = await placeOf()
    const found = place === null ? null : await readHead(local, place)
    if (found === null) throw new Error(`There is no organization ${local.organizationId}`)
    return found
  }
  return {
    head,
    organization: async () => (await head()).organization,
    async lines(file, after) {
      const lines = await readLines(local, file, after)
      // The file is one that the head named.
      if (lines === null) throw new Error(`Archives have no file ${file}`)
      return lines
    },
  }
}
