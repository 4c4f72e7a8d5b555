import type { Executor } from '../../../../adapters/sqlite/index.ts'

/** The number of members in one statement, small enough for the 30 seconds that a batch may take. */
const ROWS_PER_STATEMENT = 25_000

const PLANS = 8
const SITES = 40
const MONTHS = 36

/**
 * Makes memberships of an organization within the database, so that its triggers see them: 36 months of signups, eight
 * plans, forty sites, two in five churned.
 */
export async function makeMemberships(
  database: Executor,
  organizationId: string,
  count: number,
): Promise<void> {
  await inParts(database, [memberships], organizationId, count)
}

/**
 * Makes the events of these memberships: twelve billing events of each, offers that one member in twenty decided on (one
 * in ten of them later changed the decision), and the survey answers of churned members.
 */
export async function makeEvents(database: Executor, organizationId: string, count: number): Promise<void> {
  await inParts(database, [offers, billing, surveys], organizationId, count)
}

/** Makes `more` memberships and their events, in addition to the first `count`. */
export async function makeMore(
  database: Executor,
  organizationId: string,
  count: number,
  more: number,
): Promise<void> {
  await inParts(database, [memberships, offers, billing, surveys], organizationId, count + more, count)
}

async function inParts(
  database: Executor,
  statements: readonly string[],
  organizationId: string,
  count: number,
  first = 0,
): Promise<void> {
  for (let from = first; from < count; from += ROWS_PER_STATEMENT) {
    const until = Math.min(count, from + ROWS_PER_STATEMENT)
    for (const statement of statements) {
      await database.batch([{ sql: statement, parameters: [from, until, organizationId] }])
    }
  }
}

/** Numbers `i` from the first bound value up to the second, with pseudo-random numbers that depend only on `i`. */
const numbers = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2),
  m AS (SELECT i, i * 2654435761 % 4294967296 AS x, i * 40503 % 65536 AS y FROM n),
  d AS (SELECT *, date('2023-01-01', '+' || (x % (${MONTHS} * 30)) || ' days') AS signup, x / 7 % 5 < 2 AS churned,
    y % 700 AS stay FROM m)`

const memberships = `${numbers}
INSERT INTO memberships (organization_id, membership_id, customer_id, signup_date, status, churn_type, cancel_date,
  cancel_reason, plan_name, billing_amount_cents, billing_interval, billing_site_code, is_on_trial, tags, updated_at,
  is_cancellation, canceled_at, tenure_days)
SELECT ?3, printf('m-%08d', i), printf('c-%08d', i), signup, iif(churned, 'churned', 'active'),
  iif(churned, iif(y % 3 = 0, 'involuntary', 'voluntary'), NULL), iif(churned, date(signup, '+' || stay || ' days'), NULL),
  iif(churned, 'reason ' || (y % 6), NULL), 'Plan ' || (x / 3 % ${PLANS}), 1999, 'month', 'S' || (y % ${SITES}), 0, '[]',
  '2026-01-01T00:00:00.000Z', churned,
  iif(churned, date(signup, '+' || stay || ' days') || 'T00:00:00.000Z', NULL), iif(churned, stay, NULL) FROM d`

const offers = `${numbers}
INSERT INTO retention_offer_events (organization_id, event_id, offer_id, offer_name, membership_id, event, occurred_at, updated_at)
SELECT ?3, printf('e-%08d-%d', i, k.value), 'offer ' || (y % 5), 'Offer', printf('m-%08d', i),
  iif(k.value = 0, 'viewed', iif((y + k.value) % 2 = 1, 'accepted', 'declined')),
  date(signup, '+' || (k.value / 2 * 90) || ' days') || 'T12:00:00.000Z', '2026-01-01T00:00:00.000Z'
FROM d CROSS JOIN json_each(iif(i % 200 = 0, '[0,1,2]', '[0,1]')) AS k WHERE i % 20 = 0`

const billing = `${numbers}
INSERT INTO billing_events (organization_id, event_id, membership_id, occurred_at, type, amount_cents, updated_at)
SELECT ?3, printf('b-%08d-%d', i, k.value), printf('m-%08d', i), signup || 'T12:00:00.000Z', 'payment', 1999 + y,
  '2026-01-01T00:00:00.000Z' FROM d CROSS JOIN json_each('[0,1,2,3,4,5,6,7,8,9,10,11]') AS k`

const surveys = `${numbers}
INSERT INTO exit_survey_events (organization_id, event_id, reason_code, occurred_at, updated_at)
SELECT ?3, printf('s-%08d', i), 'reason_' || (y % 9), date(signup, '+' || stay || ' days') || 'T12:00:00.000Z',
  '2026-01-01T00:00:00.000Z' FROM d WHERE churned`
