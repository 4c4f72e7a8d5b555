import { importContext } from '../../domain/imports/context.ts'
import { importKind } from '../../domain/imports/kinds.ts'
import type { TestService } from './service.ts'

/** Imports lines into an organization as the operator does, after the importer's check. Throws for a refused line. */
export async function bringLines(
  service: TestService,
  organizationId: string,
  linesByKind: Readonly<Record<string, readonly object[]>>,
): Promise<void> {
  const none = () => Promise.reject(new Error('not needed'))
  const tools = { passwords: { hash: none, verify: none }, clock: service.clock, secrets: none }
  const context = importContext({ organizationId, phoneCountry: 'US' })
  for (const [name, lines] of Object.entries(linesByKind)) {
    const kind = importKind(name, tools)
    if (kind === null) throw new Error(`There is no import kind ${name}`)
    const records = lines.map((line) => ({ ...line }))
    const issues = records.flatMap((record) => kind.issuesOf(record, context))
    if (issues.length > 0) throw new Error(JSON.stringify(issues[0]))
    const rows = await Promise.all(records.map((record) => kind.toRow(record, context, null)))
    await service.storage.tenant(organizationId).upsert(name, rows)
  }
}
