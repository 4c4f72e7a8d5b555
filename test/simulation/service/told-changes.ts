import type { Statement } from '../../../adapters/sqlite/index.ts'
import type { PlacedChange } from './stored-places.ts'

/** The columns that name a row, the most telling ones first. */
const IDS = [
  ...(['outbox_id', 'run_id', 'submission_id', 'contact_id', 'form_id', 'key_id', 'import_id'] as const),
  ...([
    'move_id',
    'send_id',
    'list_id',
    'automation_id',
    'audit_id',
    'family_id',
    'slug',
    'name',
    'seq',
  ] as const),
]

/** A call of a database in words: what it is about, and what it changed. */
export function toldCall(statements: readonly Statement[], changes: readonly PlacedChange[]): string {
  return changes.length === 0 ? `about ${subjectsOf(statements)}` : toldChanges(changes)
}

/** The most changes that a line names. */
const TOLD_MAX = 12

/** Changes of rows in words: each row by its table, its organization and its id, with the columns that changed. */
function toldChanges(changes: readonly PlacedChange[]): string {
  const told = changes.slice(0, TOLD_MAX).map(toldChange)
  const more = changes.length - told.length
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function toldChange({ table, before, after, columns, organizationId }: PlacedChange): string {
  const row = after ?? before ?? {}
  const id = IDS.map((column) => row[column]).find((value) => value !== undefined && value !== null)
  const subject = [organizationId, id].flatMap((part) => (part == null ? [] : [part as string])).join('/')
  if (before === null) return `${table} ${subject} is new`
  if (after === null) return `${table} ${subject} is gone`
  return `${table} ${subject}: ${columns.map((column) => `${column} ${toldValue(after[column])}`).join(', ')}`
}

const VALUE_MAX = 40

function toldValue(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, VALUE_MAX)
}

/** The ids among the parameters of a batch, which say what it is about. */
function subjectsOf(statements: readonly Statement[]): string {
  const texts = statements.flatMap(({ parameters }) => parameters).filter((value) => isId(value))
  return [...new Set(texts)].join(' ')
}

/** Whether a parameter is an id, or a JSON array of ids. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[\w-]{4,40}|\["[\w",-]{4,200}"\])$/.test(value)
}
