import { newOrganization } from '../../../domain/organizations/settings.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { Organization } from '../../../ports/organizations.ts'
import { textAt } from '../../bundle/local-texts.mjs'

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
  return textAt(['host-worker/dev/demo', ...path].join('/'))
}

/** The demo's forms: a plain one, one with conditions, one with a password, and one that must be hosted. */
export function demoForms(): readonly { readonly formId: string; readonly password?: string }[] {
  return linesOf('sparkle', 'forms') as readonly { readonly formId: string; readonly password?: string }[]
}

/** The rows of a kind as a file to import. */
export function ndjsonFile(kind: string, rows: readonly object[]) {
  const open = async function* () {
    for (const row of rows) yield utf8(`${JSON.stringify(row)}\n`)
  }
  return { kind, format: 'ndjson', source: { open }, onProgress: () => undefined } as const
}
