import type { ColumnShape, IndexShape } from './shape.ts'

/** Why the migrations contain something that no record requires. */
type Reason = string

/** Tables that do not belong to a resource. */
export const tablesByHand: Readonly<Record<string, Reason>> = {
  organizations: 'the tenants themselves, with the clock that orders their writes',
  api_keys: 'who may call',
  operator_keys: 'who may operate',
  audit: 'what operators did',
  families: 'where families live that have a database of their own',
  placed_organizations: 'the organizations of such families',
  placed_slugs: 'slugs that they hold',
  placed_keys: 'the ids of their keys',
  placed_forms: 'the ids of their forms',
  write_pauses: 'organizations whose writes wait for a move',
  moves: 'moves of families between databases',
  move_organizations: 'whose rows a move takes along',
  move_journal: 'what was written while a move copies',
  move_targets: 'how far the target of a move is filled',
  move_guards: 'what a batch of a move must not find',
  outbox: 'work that follows a receipt',
  sends: 'the log of what was sent',
  import_sessions: 'imports, which are checked as a whole before anything of them is written',
  import_parts: 'the parts of a file that an import took',
  import_chunks: 'the rows that an import is going to write',
  import_keys: 'what tells the lines of an imported file apart',
  membership_cohorts: 'what analytics count of all memberships, by month of signup',
  membership_cancellations: 'what analytics count of all memberships, by month and day of cancellation',
  membership_blocks: 'how many members come before a place in the members export',
  member_spreads: 'how lengths of stay and revenue are spread over members, to find medians',
  member_decisions: 'what members decided on retention offers, with the revenue from each member',
  member_decision_totals: 'members and revenue by their last decision, by year, month and day',
  retention_offer_counts: 'the events of each retention offer, by month and day',
  exit_survey_counts: 'the reasons picked in the exit survey, by month and day',
}

/** Virtual columns, by which statements find rows in an order that no field has. */
export const columnsByHand: Readonly<Record<string, readonly ColumnShape[]>> = {
  memberships: [
    {
      name: 'signup_order',
      type: 'INTEGER',
      notNull: false,
      byDefault: null,
      computed: "-CAST(replace(coalesce(signup_date, ''), '-', '') AS INTEGER)",
    },
  ],
}

const index = (table: string, columns: readonly string[], id: string): IndexShape => ({
  name: [table, ...columns.map((column) => column.replace(' DESC', ''))].join('_'),
  table,
  columns: ['organization_id', ...columns, id],
  unique: false,
  where: null,
})

/** Indexes for statements other than pages of endpoints, each with its statement. */
export const indexesByHand: readonly (readonly [IndexShape, Reason])[] = [
  [
    index('automations', ['trigger_form_id', 'status'], 'automation_id'),
    'a submission finds what it triggers',
  ],
  [
    index('billing_events', ['membership_id', 'occurred_at'], 'event_id'),
    'a membership finds the events of its first year, and cohorts their revenue',
  ],
  [
    index('exit_survey_events', ['occurred_at', 'reason_code'], 'event_id'),
    'reasons within a range are counted',
  ],
  [index('link_events', ['link_id', 'event', 'occurred_at'], 'event_id'), "a link's last click is found"],
  [index('memberships', ['signup_order'], 'membership_id'), 'the members export'],
  [index('memberships', ['status', 'signup_order'], 'membership_id'), 'the members export of one status'],
  [
    index('purchases', ['checkout_link_id', 'status'], 'purchase_id'),
    'the completed purchases of a checkout link are counted',
  ],
  [
    {
      name: 'retention_offer_events_offer_id_occurred_at_event_id_event',
      table: 'retention_offer_events',
      columns: ['organization_id', 'offer_id', 'occurred_at', 'event_id', 'event'],
      unique: false,
      where: null,
    },
    'the latest event of an offer within a range is found, and its events of a partial day are counted',
  ],
  [index('reviews', ['site_id'], 'review_id'), 'the reviews that carry the name of a site are found'],
  [
    index('visible_reviews', ['owner_id'], 'row_id'),
    'the reviews of a child are found when its parent changes',
  ],
]

/** Triggers for purposes that no record describes. */
export const triggersByHand: Readonly<Record<string, Reason>> = {
  incoming_submissions_saved:
    'an insert into the view incoming_submissions saves a submission and what belongs to it',
  incoming_submissions_guarded: 'a submission of an organization that lives elsewhere is refused',
  accepted_submissions_saved: 'the same, by a statement that SQLite keeps no journal of',
  accepted_submissions_guarded: 'such a submission of an organization that lives elsewhere is refused',
  refused_writes_raised: 'so are its other writes',
  memberships_cohort_joined: 'analytics of memberships: figures over the whole history are kept as counts',
  memberships_cohort_changed: 'analytics of memberships',
  memberships_churned: 'analytics of memberships',
  memberships_churn_changed: 'analytics of memberships',
  membership_churns_counted: 'analytics of memberships: what a churned member adds to the counts',
  memberships_placed: 'the members export: a member is counted in the block of its place',
  memberships_placed_anew: 'the members export',
  membership_places_counted: 'the members export',
  membership_blocks_cut: 'the members export: no block becomes large',
  member_spreads_emptied: 'medians: a bucket without members goes',
  retention_offer_events_counted: 'analytics of retention offers: events are kept as counts',
  retention_offer_events_recounted: 'analytics of retention offers',
  retention_offer_events_decided: 'analytics of retention offers: decisions are kept with their revenue',
  retention_offer_events_decided_anew: 'analytics of retention offers',
  new_decisions_made: 'decisions: one begins with the revenue known so far',
  member_decisions_linked: 'decisions: the one before is superseded',
  member_decisions_unlinked: 'decisions',
  member_decisions_counted: 'decisions: the last one of each member is kept in sums',
  member_decisions_recounted: 'decisions',
  member_decisions_discounted: 'decisions',
  last_decisions_counted: 'decisions',
  billing_events_earned: 'decisions: a billing event changes the revenue from its member',
  billing_events_earned_anew: 'decisions',
  exit_survey_events_counted: 'the cancellation survey: reasons are kept as counts',
  exit_survey_events_recounted: 'the cancellation survey',
  reviews_shown: 'a review is copied to each organization that may read it',
  reviews_shown_again: 'copies of reviews',
  reviews_changed: 'copies of reviews',
  reviews_hidden: 'copies of reviews',
  sites_named_in_reviews: 'copies of reviews carry the name of the site',
  sites_renamed_in_reviews: 'copies of reviews carry the name of the site',
  organizations_moved: 'the copies of an organization go with it to another parent',
}

/** A trigger of the migrations that replaces one generated from a record, and the tallies that it maintains. */
export interface Replacement {
  readonly name: string
  readonly keeps: readonly string[]
}

const set = (keeps: readonly string[], names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([generated, name]): [string, Replacement] => [generated, { name, keeps }])

/**
 * Triggers that were written before triggers were generated. They maintain the tallies of a record in place of
 * generated triggers with other names; a test shows that both give the same values. When a record gains or loses a
 * tally, the generated triggers are required instead.
 */
export const replacedTriggers: ReadonlyMap<string, Replacement> = new Map([
  ...set(['runCount', 'lastRunAt'], {
    automations_counts_automation_runs: 'automation_runs_counted',
    automations_recounts_automation_runs: 'automation_runs_recounted',
    automations_finds_automation_runs: 'automations_counted',
  }),
  ...set(['completedCount'], {
    checkout_links_counts_purchases: 'purchases_counted',
    checkout_links_recounts_purchases: 'purchases_recounted',
    checkout_links_finds_purchases: 'checkout_links_counted',
  }),
  ...set(['contactCount'], {
    contact_lists_counts_list_members: 'list_members_counted',
    contact_lists_finds_list_members: 'contact_lists_counted',
  }),
  ...set(['clicks', 'leads', 'sales', 'saleAmountCents', 'lastClickedAt'], {
    links_counts_link_events: 'link_events_counted',
    links_recounts_link_events: 'link_events_recounted',
    links_finds_link_events: 'links_counted',
  }),
  ...set(['voucherCount', 'redeemedCount'], {
    voucher_groups_counts_vouchers: 'vouchers_counted',
    voucher_groups_recounts_vouchers: 'vouchers_recounted',
    voucher_groups_finds_vouchers: 'voucher_groups_counted',
  }),
  ...set(['redemptionCount', 'lastRedeemedAt'], {
    vouchers_counts_voucher_redemptions: 'voucher_redemptions_counted',
    vouchers_recounts_voucher_redemptions: 'voucher_redemptions_recounted',
    vouchers_finds_voucher_redemptions: 'vouchers_redeemed_before',
  }),
])
