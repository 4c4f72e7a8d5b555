import type { Generated, ColumnType } from 'kysely'
import type {
  KeptKind,
  KeyClaim,
  OperatorKeyClaim,
  Organization,
  StoredKey,
  StoredOperatorKey,
} from '../../../ports/organizations.ts'
import type { PersonRole, AuditOutcome, AuditSubject } from '../../../ports/operators.ts'
import type { RowOf } from '../../../domain/record/resource.ts'
import type { DeclaredResource } from '../../../domain/resources/index.ts'
import type {
  ImportFormat,
  ImportProblem,
  ImportState,
  Matching,
  Touch,
} from '../../../ports/import-sessions.ts'
import type { SendRecord } from '../../../ports/messaging.ts'
import type { ListedEntry, DeliveryStatus, OffReason } from '../../../ports/outbox.ts'
import type { MovePhase, ShownProgress, Jurisdiction, Place, Region } from '../../../ports/placement.ts'
import type { ErasureMarkKind } from '../../../ports/organization-store.ts'
import type { FormDefinition } from '../../../ports/records.ts'

/** `form-submissions` is stored in `form_submissions`. */
type TableName<Collection extends string> = Collection extends `${infer Start}-${infer Rest}`
  ? `${Start}_${TableName<Rest>}`
  : Collection

/** The tables of the records: the organization, then the stored fields. */
type RecordTables = {
  readonly [Of in DeclaredResource as TableName<Of['collection']>]: {
    readonly organization_id: string
  } & StoredRow<RowOf<Of>>
}

/** The tables of organizations and of keys, with the columns that no port shows. */
interface AccountTables {
  readonly organizations: StoredRow<Organization> & { readonly clock_at: Generated<string> }
  readonly api_keys: StoredRow<StoredKey>
  readonly operator_keys: StoredRow<StoredOperatorKey> & {
    readonly proof: string | null
    readonly descent_ended_at: string | null
  }
}

/** The tables of a declaration in `serviceTables`. */
type Declared<Tables> = {
  readonly [Table in keyof Tables]: {
    readonly [Column in keyof Tables[Table]]: ValueType<Tables[Table][Column]>
  }
}

type ValueType<Of> =
  Of extends ServiceColumn<infer Value, infer Given>
    ? NonNullable<ServiceColumn<Value, Given>['valueType']>
    : never

/** An answer of a webhook, as `webhook_deliveries` has it. */
export type StoredAnswer = readonly [
  at: string,
  status: number | null,
  durationMs: number,
  text: string,
  reason: string | null,
]

/** SQLite's own table of the schema. */
interface SchemaTable {
  readonly sqlite_master: {
    readonly type: 'table' | 'index' | 'view' | 'trigger'
    readonly name: string
    readonly tbl_name: string
    readonly sql: string
  }
}

/**
 * Every table with its columns, derived from the records of the domain and the service's own tables. A statement that
 * names another one does not compile.
 */
export type Database = RecordTables &
  AccountTables &
  Declared<typeof serviceTables> &
  Declared<typeof serviceViews> &
  SchemaTable

/** A column: how the database has it, and the type of its values. */
interface ServiceColumn<Value, Given> {
  readonly type: 'TEXT' | 'INTEGER'
  readonly notNull: boolean
  readonly hasDefault: boolean
  /** Never set: it carries the types of what is read and of what is inserted. */
  readonly valueType?: ColumnType<Value, Given, Value>
}

// The marks let the bundler drop the tables below, whose types alone requests need.
const column = (type: 'TEXT' | 'INTEGER') => ({ type, notNull: true, hasDefault: false })

/* @__NO_SIDE_EFFECTS__ */
function text<Value extends string = string>(): ServiceColumn<Value, Value> {
  return column('TEXT')
}

/* @__NO_SIDE_EFFECTS__ */
function json<Value>(): ServiceColumn<JsonText<Value>, JsonText<Value>> {
  return column('TEXT')
}

/* @__NO_SIDE_EFFECTS__ */
function integer<Value extends number = number>(): ServiceColumn<Value, Value> {
  return column('INTEGER')
}

/* @__NO_SIDE_EFFECTS__ */
function optional<Value>(
  of: ServiceColumn<Value, Value>,
): ServiceColumn<Value | null, Value | null | undefined> {
  return { ...of, notNull: false }
}

/* @__NO_SIDE_EFFECTS__ */
function byDefault<Value>(of: ServiceColumn<Value, Value>): ServiceColumn<Value, Value | undefined> {
  return { ...of, hasDefault: true }
}

/**
 * The tables of the service itself, with their columns in the order of the migrations, which create them. A test compares
 * the two. What each column is for stands in the migrations.
 */
export const serviceTables = {
  audit: {
    audit_id: text(),
    at: text(),
    operator_key_id: optional(text()),
    operator: text(),
    action: text(),
    organization_id: optional(text()),
    outcome: text<AuditOutcome>(),
    subject: optional(json<AuditSubject>()),
  },
  families: {
    family_id: text(),
    place: text<'own' | 'shared'>(),
    generation: integer(),
    region: optional(text<Region>()),
    jurisdiction: optional(text<Jurisdiction>()),
    work_since: optional(text()),
    work_notes: byDefault(integer()),
    was_idle: byDefault(integer()),
  },
  placed_organizations: { organization_id: text(), family_id: text() },
  placed_slugs: { slug: text(), organization_id: text() },
  placed_keys: { key_id: text(), organization_id: text(), issued_by: optional(text()) },
  placed_forms: { form_id: text(), organization_id: text(), reserved_at: optional(text()) },
  write_pauses: { organization_id: text(), token: text(), until: text() },
  moves: {
    move_id: text(),
    family_id: text(),
    source: json<Place>(),
    target: json<Place>(),
    phase: text<MovePhase>(),
    token: optional(text()),
    journal_id: optional(text()),
    tables: optional(text()),
    shown: optional(json<ShownProgress>()),
    tries: byDefault(integer()),
    not_before: optional(text()),
    abort_asked: byDefault(integer()),
    failure: optional(text()),
    mover: optional(text()),
    taken_at: optional(text()),
    leased_until: optional(text()),
    started_at: text(),
    ended_at: optional(text()),
    progress: optional(text()),
  },
  move_organizations: { move_id: text(), organization_id: text() },
  move_journal: { seq: byDefault(integer()), journal_id: text(), table_name: text(), key: text() },
  move_targets: { move_id: text(), version: integer(), progress: text(), finished_by: optional(text()) },
  move_guards: { broken: text<'version' | 'triggers'>() },
  form_versions: {
    organization_id: text(),
    form_id: text(),
    number: integer(),
    saved_at: text(),
    saved_by: optional(text()),
    definition: json<FormDefinition>(),
  },
  outbox: {
    organization_id: text(),
    outbox_id: text(),
    submission_id: text(),
    kind: text(),
    payload: json<unknown>(),
    status: byDefault(text<ListedEntry['status']>()),
    attempts: byDefault(integer()),
    next_attempt_at: text(),
    last_error: optional(text()),
    created_at: text(),
    updated_at: text(),
    lease_token: optional(text()),
    waiting_since: optional(text()),
  },
  sends: {
    organization_id: text(),
    send_id: text(),
    channel: text<SendRecord['channel']>(),
    sender: text(),
    recipient: text(),
    provider_id: optional(text()),
    outcome: text<SendRecord['outcome']>(),
    error: optional(text()),
    at: text(),
    updated_at: byDefault(text()),
  },
  send_requests: {
    organization_id: text(),
    request_key: text(),
    body_hash: text(),
    send_prefix: text(),
    holder: text(),
    released: integer(),
    busy_until: text(),
    is_ended: byDefault(integer()),
    expires_at: text(),
  },
  form_signs: {
    organization_id: text(),
    form_id: text(),
    expires_at: text(),
    updated_at: text(),
    signs: json<readonly (readonly [sign: string, untilMs: number])[]>(),
    told: byDefault(json<readonly number[]>()),
    digest_id: optional(text()),
  },
  spam_models: {
    organization_id: text(),
    spam_count: integer(),
    clean_count: integer(),
    updated_at: text(),
    weights: json<readonly number[]>(),
    in_spam: json<readonly number[]>(),
    in_clean: json<readonly number[]>(),
  },
  submission_marks: {
    organization_id: text(),
    submission_id: text(),
    is_read: integer(),
    updated_at: text(),
    is_spam: optional(integer()),
  },
  people: {
    person: text(),
    organization_id: text(),
    role: text<PersonRole>(),
    email: text(),
    name: optional(text()),
    added_at: text(),
    added_by: text(),
  },
  sign_in_links: {
    hash: text(),
    person: text(),
    browser_hash: text(),
    network: optional(text()),
    created_at: text(),
    used_at: optional(text()),
  },
  sessions: {
    hash: text(),
    session_id: text(),
    person: optional(text()),
    claim: optional(json<KeyClaim | OperatorKeyClaim>()),
    created_at: text(),
    last_seen_at: text(),
    expires_at: text(),
    browser: text(),
  },
  automation_messages: {
    organization_id: text(),
    message_id: text(),
    recipient: text(),
    at: text(),
    waits_until: text(),
    is_sent: integer(),
    is_counted: integer(),
  },
  webhooks: {
    organization_id: text(),
    webhook_id: text(),
    url: text(),
    events: json<readonly string[]>(),
    form_ids: optional(json<readonly string[]>()),
    description: text(),
    is_on: byDefault(integer()),
    off_reason: optional(text<OffReason>()),
    failing_since: optional(text()),
    secret: optional(text()),
    previous_secret: optional(text()),
    previous_until: optional(text()),
    created_at: text(),
    version: byDefault(integer()),
  },
  webhook_deliveries: {
    organization_id: text(),
    delivery_id: text(),
    webhook_id: text(),
    event: text(),
    subject_id: text(),
    at: text(),
    status: text<DeliveryStatus>(),
    attempts: integer(),
    answers: json<readonly StoredAnswer[]>(),
    changed_at: text(),
    expires_at: text(),
  },
  import_sessions: {
    organization_id: text(),
    import_id: text(),
    kind: text(),
    format: text<ImportFormat>(),
    total_bytes: integer(),
    digest: text(),
    fields: optional(json<readonly string[]>()),
    state: text<ImportState>(),
    opened_at: text(),
    touched_at: text(),
    next_part: integer(),
    received_bytes: integer(),
    read_rows: integer(),
    problems: json<readonly ImportProblem[]>(),
    reading: text(),
    chunks: integer(),
    written_chunks: integer(),
    written_rows: integer(),
    changed_rows: integer(),
    warnings: byDefault(json<readonly string[]>()),
    is_dry_run: byDefault(integer()),
    mapping: byDefault(json<Readonly<Record<string, string>>>()),
    skipped_rows: byDefault(integer()),
    takes_attributes: byDefault(integer()),
    lists_problems: byDefault(integer()),
    matching: byDefault(integer<Matching>()),
    new_rows: byDefault(integer()),
    merged_rows: byDefault(integer()),
  },
  import_parts: { organization_id: text(), import_id: text(), part: integer(), digest: text() },
  import_chunks: {
    organization_id: text(),
    import_id: text(),
    chunk: integer(),
    row_count: integer(),
    rows: json<readonly Readonly<Record<string, unknown>>[]>(),
  },
  import_keys: {
    organization_id: text(),
    import_id: text(),
    bucket: integer(),
    part: integer(),
    keys: json<readonly string[]>(),
    lines: json<readonly number[]>(),
  },
  import_contacts: {
    organization_id: text(),
    import_id: text(),
    contact_id: text(),
    touch: integer<Touch>(),
  },
  restores: {
    organization_id: text(),
    restore_id: text(),
    archive: text(),
    digest: text(),
    next_part: integer(),
    progress: text(),
    started_at: text(),
    ended_at: optional(text()),
  },
  retention: { organization_id: text(), kind: text<KeptKind>(), days: integer(), due_at: text() },
  erasures: {
    organization_id: text(),
    kind: text<ErasureMarkKind>(),
    value: text(),
    secret_version: text(),
    erased_at: text(),
    recorded_at: text(),
  },
  membership_cohorts: {
    organization_id: text(),
    dimension: text<'none' | 'plan' | 'site'>(),
    month: text(),
    value: json<string | null>(),
    members: integer(),
    churned: integer(),
    voluntary: integer(),
    involuntary: integer(),
    within30: integer(),
    within60: integer(),
    within90: integer(),
    within180: integer(),
    within365: integer(),
  },
} as const

/** The views, which hold no rows: their triggers do something with what is inserted. */
export const serviceViews = {
  refused_writes: { organization_id: text(), now: text() },
} as const

/** A value as SQLite stores it: a truth value as 0 or 1, an object as JSON. */
type Stored<Value> = Value extends string | number | null
  ? Value
  : Value extends boolean
    ? number
    : JsonText<Value>

/** The row of a type: its fields in snake case. */
export type StoredRow<Of> = { readonly [Name in keyof Of & string as ColumnName<Name>]: Stored<Of[Name]> }

/** Text that this service wrote as the JSON of a value of this type. */
export type JsonText<Value> = string & {
  /** Never set: it carries the type of the value. */
  readonly valueType?: Value
}

/** The value that was written. Throws when the text is no JSON. */
export function parsed<Value>(text: JsonText<Value>): Value {
  // Stored JSON was checked before it was written. Checking it again at each read would cost every request time.
  return JSON.parse(text) as Value
}

/** The name of the column of a field: `googlePlaceId` is stored in `google_place_id`. */
export type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : ''

/** The name of the column of a field. */
export function columnName<const Field extends string>(field: Field): ColumnName<Field> {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as ColumnName<Field>
}
