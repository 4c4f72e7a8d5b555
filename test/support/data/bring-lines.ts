import { importContext } from '../../../domain/imports/check.ts'
import { kindOf } from '../../../domain/imports/kinds.ts'
import { rowOfLine, toolsWithoutSecrets } from './imports.ts'
import type { TestService } from '../services/service.ts'

/** Imports lines into an organization as an operator does, with the importer's checks. Throws for a refused line. */
export async function bringLines(
  service: TestService,
  organizationId: string,
  linesByKind: Readonly<Record<string, readonly object[]>>,
): Promise<void> {
  const tools = toolsWithoutSecrets(service.clock)
  const context = importContext({ organizationId, phoneCountry: 'US' })
  for (const [name, lines] of Object.entries(linesByKind)) {
    const kind = kindOf(name, tools)
    const rows = await Promise.all(lines.map((line) => rowOfLine({ ...line }, kind, context)))
    await service.storage.tenant(organizationId).upsert(name, rows)
  }
}
