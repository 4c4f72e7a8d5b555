import type { serviceTables } from '../statement/database.ts'
import type { IndexShape } from './actual.ts'

/** Why the migrations contain something that no record requires. */
type Reason = string

/** Tables that do not belong to a resource. */
export const tablesByHand: Readonly<Record<keyof typeof serviceTables, Reason>> = {
  audit: 'what operators did',
  families: 'where families live that have a database of their own',
  placed_organizations: 'the organizations of such families',
  placed_slugs: 'slugs that they hold',
  placed_keys: 'the ids of their keys',
  placed_forms: 'the ids of their forms',
  write_pauses: 'organizations whose writes wait for a move',
  moves: 'moves of families between databases',
  move_organizations: 'of moves by an earlier version',
  move_journal: 'of moves by an earlier version',
  move_targets: 'who fills the target of a move',
  move_guards: 'what a batch must not find',
  form_versions: 'what forms were after each save',
  outbox: 'work that follows a receipt',
  sends: 'the log of what was sent',
  send_requests: 'requests to send that carried an idempotency key',
  form_signs: 'what came to forms lately, so that a flood is noticed',
  spam_models: 'what the marks of people taught',
  submission_marks: 'what people said of submissions, which is no part of them',
  people: 'who signs in, and what they may do',
  sign_in_links: 'links that were sent to sign in',
  sessions: 'who is signed in',
  automation_messages: 'the messages of automations that are counted against their bounds',
  webhooks: 'whom an organization tells of what happens in it',
  webhook_deliveries: 'deliveries to them that were tried',
  import_sessions: 'imports, which are checked as a whole before anything of them is written',
  import_parts: 'the parts of a file that an import took',
  import_chunks: 'the rows that an import is going to write',
  import_keys: 'what tells the lines of an imported file apart',
  import_contacts: 'the contacts that an import has met',
  restores: 'how organizations were restored from archives',
  retention: 'for how long organizations keep what',
  erasures: 'who was erased, so that no older archive brings them back',
  membership_cohorts: 'members by month of signup, plan and site',
}

const index = (table: string, columns: readonly string[], id: string): IndexShape => ({
  name: [table, ...columns.map((column) => column.replace(' DESC', ''))].join('_'),
  table,
  columns: ['organization_id', ...columns, id],
  unique: false,
  where: null,
})

/** An index that holds all that statements read of a row. */
const covering = (table: string, columns: readonly string[]): IndexShape => ({
  name: [table, ...columns].join('_'),
  table,
  columns: ['organization_id', ...columns],
  unique: false,
  where: null,
})

/** Why rows are found by their clock that no page shows in this order, and that may be very many. */
const MOVED = 'a move copies what was written since an instant'

/** Indexes for statements other than pages of endpoints, each with its statement. */
export const indexesByHand: readonly (readonly [IndexShape, Reason])[] = [
  [index('billing_events', ['updated_at'], 'event_id'), MOVED],
  [index('link_events', ['updated_at'], 'event_id'), MOVED],
  [index('list_members', ['updated_at', 'list_id'], 'contact_id'), MOVED],
  [
    index('automations', ['trigger_form_id', 'status'], 'automation_id'),
    'a submission finds what it triggers',
  ],
  [
    covering('billing_events', ['membership_id', 'occurred_at', 'event_id', 'type', 'amount_cents']),
    'a membership finds the events of its first year, and analytics the revenue from a member',
  ],
  [
    index('exit_survey_events', ['occurred_at', 'reason_code'], 'event_id'),
    'reasons within a range are counted',
  ],
  [index('link_events', ['link_id', 'event', 'occurred_at'], 'event_id'), "a link's last click is found"],
  [index('memberships', ['signup_date DESC'], 'membership_id'), 'the members export'],
  [index('memberships', ['status', 'signup_date DESC'], 'membership_id'), 'the members export of one status'],
  [
    covering('memberships', ['status', 'canceled_at', 'churn_type', 'cancel_reason', 'tenure_days']),
    'cancellations within a range are counted',
  ],
  [
    index('purchases', ['checkout_link_id', 'status'], 'purchase_id'),
    'the completed purchases of a checkout link are counted',
  ],
  [
    covering('retention_offer_events', ['membership_id', 'occurred_at', 'event_id', 'event']),
    "each member's last decision within a range is found",
  ],
  [
    covering('retention_offer_events', ['offer_id', 'occurred_at', 'event_id', 'event']),
    'the events of each offer within a range are counted, and the latest one is found',
  ],
  [
    {
      name: 'outbox_stopped',
      table: 'outbox',
      columns: ['organization_id', 'updated_at', 'outbox_id'],
      unique: false,
      where: "status <> 'pending'",
    },
    'what is not tried by itself is counted without what waits',
  ],
  [index('reviews', ['site_id'], 'review_id'), 'the reviews that carry the name of a site are found'],
  [
    index('visible_reviews', ['owner_id'], 'row_id'),
    'the reviews of a child are found when its parent changes',
  ],
]

/** Triggers for purposes that no record describes. */
export const triggersByHand: Readonly<Record<string, Reason>> = {
  accepted_submissions_saved:
    'the version 1.0.0 saves submissions by the view accepted_submissions; so it may run on this database too',
  accepted_submissions_guarded:
    'a submission that it saves for an organization that lives elsewhere is refused',
  refused_writes_raised: 'so are its other writes',
  form_submissions_unmarked: 'a mark goes with its submission',
  memberships_cohort_joined: 'cohorts are kept as counts',
  memberships_cohort_changed: 'cohorts',
  memberships_cohort_left: 'cohorts',
  reviews_shown: 'a review is copied to each organization that may read it',
  reviews_shown_again: 'copies of reviews',
  reviews_changed: 'copies of reviews',
  reviews_hidden: 'copies of reviews',
  reviews_removed: 'copies of reviews',
  sites_named_in_reviews: 'copies of reviews carry the name of the site',
  sites_renamed_in_reviews: 'copies of reviews carry the name of the site',
  sites_unnamed_in_reviews: 'copies of reviews carry the name of the site',
  organizations_moved: 'the copies of an organization go with it to another parent',
}
