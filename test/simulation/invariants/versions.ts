import type { Row } from '../engine/changes.ts'
import { isAtHome, textOf, type ChangeCheck, type Watch } from './watch.ts'

/** Every content that rows have had, by their `updatedAt`, to compare with what readers were given. */
export interface Versions {
  readonly follow: ChangeCheck
  /**
   * The row of an organization as it was at its `updatedAt`, in the form in which readers get it; undefined: there was
   * none.
   */
  publishedAt(organizationId: string, table: string, id: string, updatedAt: string): Row | undefined
}

/** The tables whose rows readers get, with the column of the id. */
export const READ: Readonly<Record<string, string>> = {
  contacts: 'contact_id',
  form_submissions: 'submission_id',
  forms: 'form_id',
  contact_lists: 'list_id',
  automations: 'automation_id',
  automation_runs: 'run_id',
}

export function createVersions({ violated }: Pick<Watch, 'violated'>): Versions {
  const versions = new Map<string, Row>()
  return {
    follow(changes) {
      for (const { table, organizationId, after } of changes.filter(isAtHome)) {
        const id = READ[table]
        if (id === undefined || after === null) continue
        const name = [organizationId, table, after[id], after.updated_at].join(' ')
        const before = versions.get(name)
        versions.set(name, after)
        const differs =
          before !== undefined && Object.keys(before).find((column) => before[column] !== after[column])
        if (differs !== false && differs !== undefined)
          violated('one updatedAt stands for one content', `${name}: ${differs} of ${JSON.stringify(after)}`)
      }
    },
    publishedAt(organizationId, table, id, updatedAt) {
      const row = versions.get([organizationId, table, id, updatedAt].join(' '))
      return row === undefined ? undefined : published(table, row)
    },
  }
}

/** Columns that no reader sees. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...([
    'organization_id',
    'email_key',
    'steps',
    'trigger_form_id',
    'definition',
    'password_hash',
    'typed',
    'extra',
    'spam_reasons',
    'held',
    'version',
  ] as const),
  'nickname',
])
/** Columns with JSON, and columns with truth values. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['tags', 'attributes', 'answers', 'attribution', 'trigger'])
const FLAGS: ReadonlySet<string> = new Set(['is_published', 'spam'])

/** A row as readers get it, without fields that are taken from other rows. A second, naive implementation. */
export function published(table: string, row: Row): Row {
  const fields = Object.entries(row)
    .filter(([column]) => !HIDDEN.has(column))
    .map(([column, value]) => [camelCased(column), publishedValue(column, value)] as const)
  return { ...Object.fromEntries(fields), ...(table === 'forms' ? publishedDefinition(row) : {}) }
}

function camelCased(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function publishedValue(column: string, value: unknown): unknown {
  if (JSON_COLUMNS.has(column)) return JSON.parse(textOf(value))
  return FLAGS.has(column) ? value === 1 : value
}

function publishedDefinition({ definition, password_hash: passwordHash }: Row): Row {
  const { fields, submissionLimitPerContact, successTitle, successMessage, publicUrl, language, texts } =
    JSON.parse(textOf(definition)) as Row
  return {
    requiresPassword: passwordHash !== null,
    headless: { supported: true, reasons: [] },
    submissionLimitPerContact: submissionLimitPerContact ?? null,
    fields,
    successTitle: successTitle ?? null,
    successMessage: successMessage ?? null,
    publicUrl: publicUrl ?? null,
    language: language ?? null,
    texts: texts ?? null,
  }
}
