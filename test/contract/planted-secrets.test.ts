import { beforeAll, expect, test } from 'vitest'
import type { NodeSqlite } from '../../adapters/node-sqlite/index.ts'
import { endpoints } from '../support/contract/endpoints.ts'
import { writtenPosResources } from '../../domain/pos/index.ts'
import { addSampleOrganization, samplePath } from '../support/data/sample-organization.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService, type TestService } from '../support/services/service.ts'

// Puts a word that no answer may contain into every text that is stored of a tenant, except for what the contract
// publishes. What is stored is read from the databases themselves, and what is published stands here by hand: a new
// column is secret until it is listed. The conformance suites show that other adapters return the same rows.

const PLANTED = 'planted-secret'

/**
 * The columns that the contract publishes as they are stored, by table (`the contract` and its table of resources). The
 * tables that keep rows for others, or sums of them, hold the same values.
 */
const published: Readonly<Record<string, string>> = {
  organizations: '',
  sites:
    'site_id name common_name site_code status phone email timezone address google_place_id created_at updated_at',
  products:
    'product_id name description type status currency billing_interval image_url site_ids created_at updated_at',
  checkout_links:
    'checkout_link_id name url status items site_id success_url expires_at created_at updated_at',
  purchases:
    'purchase_id status contact_id site_id checkout_link_id currency items purchased_at refunded_at updated_at',
  contacts:
    'contact_id first_name last_name email phone license_plate tags email_consent sms_consent source site_id attributes created_at updated_at',
  contact_lists: 'list_id name description type created_at updated_at',
  list_members: 'contact_id list_id added_at',
  marketing_signups:
    'signup_id contact_id email phone site_id source answers attribution signed_up_at updated_at',
  forms: 'form_id name published_at created_at updated_at definition',
  form_submissions: 'submission_id form_id contact_id answers attribution source submitted_at updated_at',
  vouchers:
    'voucher_id group_id status contact_id product_id currency expires_at last_redeemed_at created_at updated_at',
  voucher_redemptions: 'redemption_id voucher_id group_id contact_id site_id redeemed_at updated_at',
  voucher_groups:
    'group_id name description status product_id currency starts_at expires_at created_at updated_at',
  links: 'link_id domain key short_url url title tags expires_at last_clicked_at created_at updated_at',
  link_events: 'link_id day country city device browser os referrer',
  automations: 'automation_id name description status trigger last_run_at created_at updated_at',
  automation_runs: 'run_id automation_id contact_id status failure_reason started_at completed_at updated_at',
  surveys: 'id survey_type name description config public_url parent_survey_id created_at updated_at',
  survey_responses:
    'response_id survey_id contact_id site_id category freetext notes answers submitted_at updated_at',
  cases:
    'case_id status action request_type source customer site submitted_at updated_at assigned_to resolution category history notes',
  memberships:
    'membership_id customer_id signup_date status churn_type cancel_date cancel_reason plan_name billing_site_code billing_site_name creation_site_code creation_site_name tags updated_at canceled_at site_code site_name first_year_events',
  billing_events: '',
  retention_offer_events: 'offer_id offer_name target_plan_name',
  exit_survey_events: 'reason_code',
  reviews: '',
  visible_reviews:
    'review_id google_review_id site_id site_name comment reviewer_name reviewer_photo_url reply created_at updated_at owner_id',
  removals: 'collection id parent_id updated_at',
  membership_cohorts: 'dimension month value',
  pos_transactions:
    'transaction_id customer_id site_code completed_at type currency payment_method line_items',
  pos_customers:
    'customer_id first_name last_name email phone license_plates home_site_code last_visit_at created_at',
  pos_recurring_accounts:
    'account_id customer_id status plan_code plan_name billing_interval site_code started_at next_billing_at canceled_at',
  pos_billing_events: 'event_id occurred_at type result',
  pos_status_events: 'event_id occurred_at from_status to_status reason',
}

/** Tables and columns that are not published, and why they keep their values. */
const kept: Readonly<Record<string, string>> = {
  placed_organizations: 'It says in which database the rows are.',
  'link_events.occurred_at': 'It lies in the range that is asked for.',
}

/** Answers of which a part is never published, whatever else they hold. */
const answers = {
  token: PLANTED,
  _internal: PLANTED,
  nested: [{ apiKey: PLANTED, deeper: { card_number: PLANTED, kept: 'kept' } }],
}
/** Stored JSON with secrets in it, by column. */
const within: Readonly<Record<string, unknown>> = {
  'organizations.pos_source': { kind: 'legacy_vendor', tenant: PLANTED },
  'forms.definition': {
    formId: 'm-formId-0',
    name: 'Form',
    isPublished: true,
    notificationEmails: [`${PLANTED}@example.com`],
    workflow: PLANTED,
    fields: [],
  },
  'form_submissions.answers': answers,
  'marketing_signups.answers': answers,
  'survey_responses.answers': answers,
  'purchases.fulfillment_codes': [[PLANTED]],
  'memberships.first_year_events': [
    {
      eventId: PLANTED,
      occurredAt: '2025-12-01T00:00:00.000Z',
      type: 'payment',
      amountCents: 100,
      discountName: null,
      discountCents: null,
    },
  ],
}

interface Column {
  readonly table: string
  readonly column: string
  readonly isText: boolean
}

/** The columns of every table that holds rows of tenants, which a column with the tenant's id shows. */
async function tenantColumns(database: NodeSqlite, tenantColumn: string): Promise<readonly Column[]> {
  const sql = `select m.name as "table", c.name as "column", c.type from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and exists (select 1 from pragma_table_info(m.name) o where o.name = ?)`
  const [found] = await database.batch([{ sql, parameters: [tenantColumn] }])
  return (found?.rows ?? [])
    .map(({ table, column, type }) => ({
      table: String(table),
      column: String(column),
      isText: type === 'TEXT' || type === 'BLOB',
    }))
    .filter(({ column }) => column !== tenantColumn)
}

const nameOf = ({ table, column }: Column) => `${table}.${column}`
const isPublished = ({ table, column }: Column) => published[table]?.split(' ').includes(column) === true

/**
 * Plants the word in the rows of one's own tenant, except in what is published, and everywhere in those of another one.
 * A table of which nothing is published gets a row of it, because its other rows make the service work. Nothing follows
 * from these writes: the database's triggers are dropped.
 */
async function plant(database: NodeSqlite, tenantColumn: string, tenants: readonly string[]): Promise<void> {
  const run = async (sql: string, ...parameters: string[]) =>
    (await database.batch([{ sql, parameters }]))[0]?.rows ?? []
  for (const { name } of await run(`select name from sqlite_master where type = 'trigger'`))
    await run(`drop trigger "${String(name)}"`)
  const [mine = '', theirs = ''] = tenants
  for (const [table, columns] of Map.groupBy(await tenantColumns(database, tenantColumn), (of) => of.table)) {
    const texts = columns.filter(({ isText }) => isText)
    // The old value follows the word, so that what was unique stays so.
    const update = async (all: readonly Column[], tenant: string) => {
      const set = all.map(
        ({ column }) => `"${column}" = '${PLANTED} of ${tenant} ' || coalesce("${column}", '')`,
      )
      if (set.length > 0) await run(`update "${table}" set ${set.join()} where "${tenantColumn}" = ?`, tenant)
    }
    await update(texts, theirs)
    if (published[table] === undefined) {
      if (kept[table] !== undefined) continue
      const names = columns.map(({ column }) => `"${column}"`)
      const values = columns.map(({ isText }) => (isText ? `'${PLANTED}'` : '0'))
      await run(
        `insert into "${table}" ("${tenantColumn}", ${names.join()}) values (?, ${values.join()})`,
        mine,
      )
      continue
    }
    const secret = texts.filter((of) => !isPublished(of) && kept[nameOf(of)] === undefined)
    await update(secret, mine)
    for (const column of texts.filter((of) => within[nameOf(of)] !== undefined))
      await run(
        `update "${table}" set "${column.column}" = ? where "${tenantColumn}" = ?`,
        JSON.stringify(within[nameOf(column)]),
        mine,
      )
  }
}

let service: TestService
let storage: ScratchStorage
let key: string

beforeAll(async () => {
  service = await openTestService((clock) => (storage = createScratchStorage({ clock })))
  // Shortly after the sample rows' times, so that the counted events lie within the last thirty days.
  service.clock.set('2026-01-02T00:00:00.000Z')
  const able = { billingEvents: true, analytics: true, retentionOfferAnalytics: true }
  key = await addSampleOrganization(service, 'mine', 'm-', 3, able)
  await addSampleOrganization(service, 'theirs', 't-', 1, able)
  const own = await storage.databaseOf('mine')
  for (const database of new Set([storage.database, own, await storage.databaseOf('theirs')]))
    await plant(database, 'organization_id', ['mine', 'theirs'])
  const vendor = service.pos.databaseOf('legacy_vendor')
  await plant(vendor, 'tenant_id', ['mine', 'theirs'])
  for (const { collection } of writtenPosResources)
    await vendor.batch([
      {
        sql: `update ${collection.replaceAll('-', '_')} set tenant_id = ? where tenant_id = 'mine'`,
        parameters: [PLANTED],
      },
    ])
})

const reads = endpoints.filter(({ access, method }) => access === 'tenant' && method === 'GET')

/** The rows of an answer, whatever it calls them; a detail is a row itself. */
function rowsOf(text: string): readonly unknown[] {
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  const lists = ['data', 'members', 'cohorts', 'offers', 'reasons'].map((name) => body[name])
  return (lists.find((list) => Array.isArray(list)) ?? [body]) as readonly unknown[]
}

test.each(reads)('$id answers rows, and nothing unpublished', async (endpoint) => {
  const own = samplePath(endpoint, (field) => `m-${field}-0`)
  const response = await service.send(own, { key })
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.not.stringContaining(PLANTED)])
  expect(rowsOf(text)).not.toEqual([])
  for (const query of ['?cursor=nonsense', '?unknown=1'])
    expect(await (await service.send(own + query, { key })).text()).not.toContain(PLANTED)
})

test('the word is in every column that is not published, and what is published exists', async () => {
  const databases = [
    [storage.database, 'organization_id'],
    [await storage.databaseOf('mine'), 'organization_id'],
    [service.pos.databaseOf('legacy_vendor'), 'tenant_id'],
  ] as const
  const [all, reached] = [new Map<string, Column>(), new Set<string>()]
  for (const [database, tenantColumn] of databases)
    for (const column of (await tenantColumns(database, tenantColumn)).filter(({ isText }) => isText)) {
      all.set(nameOf(column), column)
      const sql = `select 1 from "${column.table}" where "${tenantColumn}" in ('mine', ?) and "${column.column}" like ?`
      const [found] = await database.batch([{ sql, parameters: [PLANTED, `%${PLANTED}%`] }])
      if (found?.rows.length !== 0) reached.add(nameOf(column))
    }
  const secret = [...all.values()].filter((of) => !isPublished(of) || within[nameOf(of)] !== undefined)
  const isKept = (of: Column) => kept[of.table] !== undefined || kept[nameOf(of)] !== undefined
  expect(secret.filter((of) => !reached.has(nameOf(of)) && !isKept(of)).map(nameOf)).toEqual([])
  const listed = Object.entries(published).flatMap(([table, columns]) =>
    columns.split(' ').flatMap((column) => (column === '' ? [] : [`${table}.${column}`])),
  )
  expect(listed.filter((name) => !all.has(name))).toEqual([])
})

test('the planted values are there: codes come out when they are asked for', async () => {
  const ask = async (path: string) =>
    (await service.send(`/api/v1/${path}?includeCodes=true`, { key })).text()
  for (const path of ['vouchers', 'vouchers/redemptions', 'purchases'])
    expect(await ask(path)).toContain(PLANTED)
})

test('nothing failed inside', () => {
  expect(service.errors).toEqual([])
})
