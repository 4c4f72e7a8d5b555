import type { CollectionEndpoint } from '../../domain/record/endpoint.ts'
import { openedPurchaseId } from '../support/data/opened-purchase-id.ts'
import { Difference } from './difference.ts'
import type { JsonObject } from './values/drawn.ts'
import type { ModelRow } from './model/model-row.ts'
import { learnedName, publishedRow, shownIdField, sourceRowsOf, UNKNOWN } from './model/model.ts'
import { answerTo, type Page, type Setting } from './setting.ts'

/** Takes from the longest answer what only the service can say, such as `updatedAt`. */
export async function learn(endpoint: CollectionEndpoint, setting: Setting): Promise<void> {
  const { resource } = endpoint
  const rows = sourceRowsOf(resource, setting.model)
  for (let path: string | null = `${endpoint.path}?limit=${endpoint.maxLimit}`; path !== null;) {
    const page = JSON.parse(await answerTo(path, setting)) as Page
    for (const shown of page.data) {
      const row = await rowShown(shown, endpoint, rows, setting)
      if (row === undefined)
        throw new Difference(`${path} shows a row that was not imported: ${JSON.stringify(shown)}`)
      for (const [name, value] of Object.entries(publishedRow(resource, row, setting.model, false)))
        if (value === UNKNOWN) row[learnedName(resource.collection, name)] = learned(name, shown[name])
    }
    const cursor: string | null = page.pagination.nextCursor
    path = cursor === null ? null : `${endpoint.path}?limit=${endpoint.maxLimit}&cursor=${cursor}`
  }
}

function learned(name: string, value: unknown): unknown {
  const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
  if (name.endsWith('At') && !isInstant) throw new Difference(`${name} is ${JSON.stringify(value)}`)
  return value
}

/** The imported row that an answer shows, found by its id. */
async function rowShown(
  shown: JsonObject,
  { resource }: CollectionEndpoint,
  rows: readonly ModelRow[],
  { model, place }: Setting,
): Promise<ModelRow | undefined> {
  if (resource.alternateKey !== null) {
    const opened = await openedPurchaseId(
      String(shown[resource.idField]),
      model.organizationId,
      place.secrets.current,
    )
    return rows.find((row) => row[String(resource.alternateKey)] === opened)
  }
  const idField = shownIdField(resource)
  return rows.find((row) => row[idField] === shown[idField])
}
