import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { utf8 } from '../../../domain/text/encoding.ts'
import { newOrganization } from '../../../domain/operators/organization.ts'
import type { Organization } from '../../../ports/organizations/organization.ts'
import type { OperatorService } from '../../operator/client/service/operator-service.ts'
import { importInto } from '../../operator/commands/imports/import-into.ts'

// The demo is data beside this file: `organizations.json`, and for each organization a folder with a file for each
// import kind, as an operator would import it. `forms.json` is a list, because people read and copy these forms.

/** Rows of one import kind, as lines of a file to import. */
export type KindOfLines = readonly [kind: string, lines: () => readonly object[]]

/** An organization of the demo. */
export interface DemoOrganization {
  readonly organization: Organization
  /** One of them has a database of its own, so that a local service has organizations in both places. */
  readonly place: 'own' | 'shared'
  /** Its rows. A kind comes after those to which it refers. */
  readonly lines: readonly KindOfLines[]
}

interface Declared {
  readonly organizationId: string
  readonly folder: string
  readonly place?: DemoOrganization['place']
  readonly settings: Partial<Organization> & Pick<Organization, 'name'>
  readonly imports: readonly string[]
}

/** The organizations that a fresh local service serves. The first is the one whose key is shown first. */
export const demoOrganizations = (JSON.parse(readText('organizations.json')) as readonly Declared[]).map(
  ({ organizationId, folder, place = 'shared', settings, imports }): DemoOrganization => ({
    organization: { ...newOrganization(organizationId, settings.name), ...settings },
    place,
    lines: imports.map((kind) => [kind, () => linesOf(folder, kind)]),
  }),
)

function linesOf(folder: string, kind: string): readonly Readonly<Record<string, unknown>>[] {
  const text =
    kind === 'forms'
      ? readText(folder, 'forms.json')
      : `[${readText(folder, `${kind}.ndjson`).trimEnd().split('\n').join(',')}]`
  return JSON.parse(text) as readonly Readonly<Record<string, unknown>>[]
}

function readText(...path: readonly string[]): string {
  return readFileSync(join(import.meta.dirname, ...path), 'utf8')
}

/** The demo's forms: a plain one, one with conditions, one with a password, and one that must be hosted. */
export function demoForms(): readonly { readonly formId: string; readonly password?: string }[] {
  return linesOf('sparkle', 'forms') as readonly { readonly formId: string; readonly password?: string }[]
}

/**
 * Imports lines by kind, in their order, as an operator would. Importing them again changes nothing. Throws when a row
 * is refused.
 */
export async function importLines(
  linesByKind: readonly KindOfLines[],
  organizationId: string,
  service: OperatorService,
): Promise<void> {
  for (const [kind, lines] of linesByKind) {
    const source = { open: () => ndjson(lines()) }
    const file = { kind, format: 'ndjson', source, onProgress: () => undefined } as const
    const outcome = await importInto(organizationId, file, service)
    if (outcome.kind !== 'imported')
      throw new Error(`The demo's ${kind} were refused: ${JSON.stringify(outcome)}`)
  }
}

async function* ndjson(lines: Iterable<object>): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8(`${JSON.stringify(line)}\n`)
}
