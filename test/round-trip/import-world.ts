import { importThroughService } from '../../host-worker/operator/client/import-client.ts'
import { sourceOf } from '../support/data/imports.ts'
import { Difference } from './difference.ts'
import type { JsonObject } from './values/drawn.ts'
import { fileOf, linesBeforeRows } from './values/files.ts'
import type { Place } from './places.ts'
import type { World } from './world.ts'

/** Creates an organization in a place and returns a key for it. */
export async function createOrganization(
  organizationId: string,
  { operator, place }: Place,
): Promise<string> {
  const path = `/operator/v1/organizations/${organizationId}`
  const post = async (to: string, body: object): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' }
    const response = await operator('POST', to, { headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${to} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as JsonObject
  }
  await post(path, {
    name: organizationId,
    place,
    analytics: true,
    posSource: { kind: 'legacy_vendor', tenant: organizationId },
  })
  return String((await post(`${path}/keys`, {})).key)
}

/**
 * Imports every file twice: the second time changes nothing. Before that, the file with a NUL in one of its texts is
 * refused for the line in which it is. Returns the number of rows.
 */
export async function importRows(world: World, organizationId: string, { operator }: Place): Promise<number> {
  let total = 0
  for (const [version, [kind, rows]] of [...world.rows].entries()) {
    const form = { format: world.format, version: version + world.seed }
    const lines = rows.map(({ given }) => given)
    const imported = async (of: readonly JsonObject[]) =>
      importThroughService({
        organizationId,
        url: 'the service',
        call: operator,
        kind,
        format: world.format,
        source: sourceOf(fileOf(form, of)),
        onProgress: () => undefined,
      })
    const spoilt = world.seed % lines.length
    const refused = await imported(
      lines.map((line, index) => (index === spoilt ? withNul(line, version) : line)),
    )
    const found = refused.kind === 'invalid' ? refused.problems.map(({ line }) => line) : []
    const isItsLine = world.format === 'csv' || found[0] === spoilt + 1
    // In CSV a row may have several lines.
    if (new Set(found).size !== 1 || !isItsLine)
      throw new Difference(`Importing ${kind} with a NUL in row ${spoilt + 1}: ${JSON.stringify(refused)}`)
    for (const changed of [rows.length, 0]) {
      const outcome = await imported(lines)
      if (outcome.kind === 'imported' && outcome.changed === changed) continue
      const first = outcome.kind === 'invalid' ? outcome.problems[0] : undefined
      const line = first === undefined ? undefined : rows[first.line - 1 - linesBeforeRows(form)]
      throw new Difference(
        `Importing ${rows.length} rows of ${kind}: ${JSON.stringify(outcome)}\n${JSON.stringify(line)}`,
      )
    }
    total += rows.length
  }
  return total
}

/** The line with a NUL at the end of one of its texts. Every line has one: its id. */
function withNul(line: JsonObject, choice: number): JsonObject {
  const names = Object.keys(line).filter((name) => typeof line[name] === 'string' && line[name] !== '')
  const name = names[choice % names.length] ?? ''
  return { ...line, [name]: `${String(line[name])}\0` }
}
