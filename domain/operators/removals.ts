import { count, jsonBody, notThere, operated } from './serve.ts'
import * as v from 'valibot'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import { readPhone } from '../read/query.ts'
import { idMaxLength } from '../record/field.ts'
import { many, mark, ofOrganization, sets, text } from '../record/command.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { formSubmissions } from '../resources/form-submissions.ts'
import { writtenResources } from '../resources/index.ts'
import { emailKey, readEmailAddress } from '../text/typed-text.ts'
import { toInstant } from '../text/instant.ts'
import { deleteOrganization, erasePerson } from '../organizations/removal.ts'
import { changeAsRead, stateReply, type Change } from './change.ts'
import type { OperatorWorld } from './world.ts'
import { findState, NOTHING_ENDS, RetentionBody, showOrganization, shownState } from './organizations.ts'

const PATH = '/operator/v1/organizations/{organizationId}'

const common = { method: 'POST', access: 'admin', tag: 'Removal' } as const

/** The maximum number of rows that one request removes. All of them go in one transaction. */
export const REMOVED_ROWS_MAX = 5_000

/** Between the ids of a row that is named by two of them. No id contains it. */
const ID_SEPARATOR = '\t'

const rowId = v.pipe(v.string(), v.minLength(1), v.maxLength(2 * idMaxLength + 1))

export const deleteRows = operated({
  id: 'rows.delete',
  path: `${PATH}/rows/{kind}/delete`,
  action: 'rows.delete',
  ...common,
  needsOrganization: true,
  summary: 'Delete rows that were imported by mistake',
  description:
    'All of them or none. A row to which other rows refer is not deleted: delete those before. Whoever syncs learns of it from `/api/v1/removals`.',
  body: jsonBody(
    v.strictObject({
      ids: described(
        v.pipe(v.array(rowId), v.minLength(1), v.maxLength(REMOVED_ROWS_MAX)),
        'The ids of the rows. A row of `list-members` is named by the id of its list, a tab and the id of its contact.',
      ),
    }),
    { ids: ['con-1', 'con-2'] },
    4_000_000,
  ),
  responses: {
    200: jsonResponse(
      'They are deleted.',
      v.strictObject({ rows: described(count, 'How many rows were deleted.') }),
      { rows: 2 },
    ),
    409: 'Conflict',
  },
  answer: async ({ params: { organizationId = '', kind = '' }, body: { ids }, change }, world) => {
    const resource = writtenResources.find(({ collection }) => collection === kind)
    if (resource === undefined) return errorReply(404, `There is no kind of rows ${echoed(kind)} here.`)
    const keys = ids.map((id) => (resource.key.length === 1 ? [id] : id.split(ID_SEPARATOR)))
    const odd = keys.findIndex((key) => key.length !== resource.key.length)
    if (odd >= 0)
      return errorReply(
        400,
        `ids.${odd}: must be the values of ${resource.key.join(' and ')}, with a tab between.`,
      )
    return removedRows(organizationId, kind, keys, change, world)
  },
})

export const deleteSubmissions = operated({
  id: 'submissions.delete',
  openTo: 'member',
  path: `${PATH}/submissions/delete`,
  action: 'submission.delete',
  ...common,
  needsOrganization: true,
  summary: 'Delete submissions',
  description:
    'All of them or none. The contacts that they made stay. Whoever syncs learns of it from `/api/v1/removals`.',
  body: jsonBody(
    v.strictObject({
      ids: described(
        v.pipe(v.array(rowId), v.minLength(1), v.maxLength(REMOVED_ROWS_MAX)),
        'The ids of the submissions.',
      ),
    }),
    { ids: ['sub_2Zk8QwVt7LhXn4RmPq9sBc'] },
    4_000_000,
  ),
  responses: {
    200: jsonResponse(
      'They are deleted.',
      v.strictObject({ rows: described(count, 'How many were deleted.') }),
      { rows: 1 },
    ),
    409: 'Conflict',
  },
  commands: [
    {
      words: ['submissions', 'delete'],
      positionals: ['ID…'],
      several: 'ids',
      flags: { org: ofOrganization() },
      summary: 'Delete submissions',
      details: ['All of them or none. The contacts that they made stay; "contact erase" takes a person out.'],
      examples: ['sub_2Zk8QwVt7LhXn4RmPq9sBc --org lakeside'],
      says: ({ rows }) => ({ notes: [`Submissions deleted: ${rows}.`] }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, body: { ids }, change }, world) =>
    removedRows(
      organizationId,
      formSubmissions.collection,
      ids.map((id) => [id]),
      change,
      world,
    ),
})

/** Removes rows, all of them or none, and answers what became of it. */
async function removedRows(
  organizationId: string,
  kind: string,
  keys: readonly (readonly string[])[],
  change: Pick<Change, 'announce'>,
  world: Pick<OperatorWorld, 'organizationStore'>,
) {
  await change.announce({ type: 'rows', kind, rows: keys.length })
  const outcome = await world.organizationStore(organizationId).removeRows(kind, keys)
  switch (outcome.kind) {
    case 'removed':
      return jsonReply(200, { rows: outcome.rows }, PRIVATE)
    case 'unknown': {
      const shown = outcome.keys.map((key) => echoed(key.join(ID_SEPARATOR))).join(', ')
      return errorReply(
        409,
        `${organizationId} has no rows of ${kind} with these ids: ${shown}. Nothing was deleted.`,
      )
    }
    case 'importing':
      return errorReply(
        409,
        `An import (${outcome.importId}) is open, whose rows may refer to these. Finish or abort it before. Nothing was deleted.`,
      )
    case 'needed': {
      const by = outcome.by.map(({ collection, rows }) => `${rows} of ${collection}`).join(', ')
      return errorReply(409, `Other rows refer to these: ${by}. Nothing was deleted.`)
    }
  }
}

const Position = v.pipe(
  v.string(),
  v.maxLength(1_000),
  v.regex(/^\[\d{1,3},"[^\n]*"\]$/, 'must be what an answer gave'),
  v.parseJson({}, 'must be what an answer gave'),
  v.stringifyJson(),
)

export const eraseContact = operated({
  id: 'contacts.erase',
  openTo: 'owner',
  path: `${PATH}/contacts/erase`,
  action: 'contact.erase',
  ...common,
  needsOrganization: true,
  summary: 'Erase what is stored about a person',
  description:
    'The person is named by contacts, and by addresses, which name every contact and every row without a contact that carries them. Works for a bounded time; while the answer has a `next`, send the same again with it.',
  body: jsonBody(
    v.strictObject({
      contactIds: v.optional(
        described(
          v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(idMaxLength))), v.maxLength(100)),
          'Ids of contacts.',
        ),
        [],
      ),
      emails: v.optional(
        described(
          v.pipe(
            v.array(
              v.pipe(
                v.string(),
                v.check((text) => readEmailAddress(text) !== null, 'must be an email address'),
              ),
            ),
            v.maxLength(100),
          ),
          'Email addresses.',
        ),
        [],
      ),
      phones: v.optional(
        described(
          v.pipe(v.array(v.pipe(v.string(), v.maxLength(50))), v.maxLength(100)),
          "Phone numbers; national ones are of the organization's country.",
        ),
        [],
      ),
      dryRun: v.optional(
        described(v.boolean(), 'Whether rows are only counted: nothing is erased, or recorded as erased.'),
        false,
      ),
      next: v.exactOptional(described(Position, 'The `next` of the answer before.')),
    }),
    { contactIds: ['con-1'] },
    100_000,
  ),
  responses: {
    200: jsonResponse(
      'What was erased.',
      v.strictObject({
        contactIds: described(v.array(v.string()), 'The contacts of the person.'),
        rows: described(
          count,
          'How many rows this request changed, or removed before they were sent. In a dry run: how many that is at most.',
        ),
        next: described(v.nullable(v.string()), 'What to send to go on; null: all was looked at.'),
      }),
      { contactIds: ['con-1'], rows: 7, next: null },
    ),
    409: 'Conflict',
  },
  commands: [
    {
      words: ['contact', 'erase'],
      flags: {
        org: ofOrganization(),
        contact: sets('contactIds', many('CID', 'some')),
        email: sets('emails', many('ADDRESS', 'some')),
        phone: sets('phones', many('NUMBER', 'some')),
        'dry-run': sets('dryRun', mark()),
      },
      summary: 'Erase what is stored about a person',
      details: [
        'An address names every contact and every row without a contact that carries it. The flags can be repeated and',
        'combined. The contact stays without anything about the person and is written to no more; answers, attribution, free',
        'text and notes are emptied; what was still to be sent to them is dropped. Public reviews stay, and purchases without',
        'their contact. Done again, it erases nothing more. A restoration of an archive that was made before erases the person',
        'again.',
        '--dry-run says in how many rows that is at most, and changes nothing.',
      ],
      examples: ['--org lakeside --contact c-1', '--org lakeside --email ada@example.com --dry-run'],
      again: ({ next }) => (next === null ? null : { next }),
      sum: (before, answer) => ({ ...answer, rows: before.rows + answer.rows }),
      says: ({ contactIds, rows }, { values }) => {
        const contacts = contactIds.length === 0 ? 'no contact' : contactIds.join(', ')
        return {
          notes: [
            values['dry-run'] === true
              ? `Would erase the person in at most ${rows} rows (${contacts}). Nothing was changed.`
              : `Erased the person in ${rows} rows (${contacts}).`,
          ],
        }
      },
    },
  ],
  answer: async ({ params: { organizationId = '' }, body, change, organization }, world) => {
    const { contactIds, emails, phones: given, dryRun: isDryRun, next = null } = body
    if (contactIds.length + emails.length + given.length === 0)
      return errorReply(400, 'Name the person, by contactIds, emails or phones.')
    const phones: string[] = []
    for (const [index, text] of given.entries()) {
      const reading = await readPhone([text], organization.phoneCountry)
      if (reading.kind !== 'value') return errorReply(400, `phones.${index}: must be a valid phone number.`)
      phones.push(String(reading.value))
    }
    const dryRun = isDryRun ? ({ dryRun: true } as const) : {}
    await change.announce({ type: 'contacts', ids: contactIds, ...dryRun })
    const named = { contactIds, emailKeys: emails.map(emailKey), phones }
    const outcome = await erasePerson(organizationId, named, { from: next, isDryRun }, world)
    if ('unknown' in outcome)
      return errorReply(
        404,
        `${organizationId} has no contact ${outcome.unknown.slice(0, PROBLEMS_MAX).map(echoed).join(', ')}. Nothing was erased.`,
      )
    if ('importId' in outcome)
      return errorReply(
        409,
        `An import (${outcome.importId}) is open, which may bring the person back. Finish or abort it before. Nothing was erased.`,
      )
    change.concerns({ type: 'contacts', ids: [...outcome.contactIds], ...dryRun })
    return jsonReply(200, { ...outcome, contactIds: [...outcome.contactIds] }, PRIVATE)
  },
})

export const deleteOrganizationEndpoint = operated({
  id: 'organizations.delete',
  path: `${PATH}/delete`,
  action: 'organization.delete',
  ...common,
  summary: 'Delete an organization',
  description:
    'Its keys and forms end at once; then everything that is stored of it is removed, and its ids are free. Works for a bounded time: send it again until `isDone`.',
  body: jsonBody(
    v.strictObject({ confirm: described(v.string(), 'The id of the organization once more.') }),
    { confirm: 'acme' },
  ),
  responses: {
    200: jsonResponse(
      'What was deleted.',
      v.strictObject({
        rows: described(
          v.record(v.string(), count),
          'How many rows this request deleted, by the name of their table.',
        ),
        isDone: described(v.boolean(), 'Whether nothing is left.'),
      }),
      { rows: { contacts: 812 }, isDone: true },
    ),
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['org', 'delete'],
      flags: {
        id: sets('organizationId', text('ID', 'required')),
        confirm: sets('confirm', text('ID', 'required')),
      },
      summary: 'Delete an organization with everything that is stored of it',
      details: [
        'There is no way back but a backup: --confirm repeats the id. Its keys and forms end first. Interrupted, the same',
        'command goes on; until it is done the organization is closed. It also removes what a restoration that stopped has left.',
        'The parent of others is not deleted. Rows at a point of sale, backups and the audit stay.',
      ],
      examples: ['--id lakeside --confirm lakeside'],
      problem: ({ id, confirm }) =>
        confirm === id ? null : '--confirm must repeat the id of the organization',
      again: ({ isDone }) => (isDone ? null : {}),
      sum: (before, answer) => {
        const rows = { ...before.rows }
        for (const [table, deleted] of Object.entries(answer.rows)) rows[table] = (rows[table] ?? 0) + deleted
        return { ...answer, rows }
      },
      says: ({ rows }, { params: { organizationId } }) => ({
        out: Object.entries(rows).map(([table, deleted]) => `${table}  ${deleted}`),
        notes: [`Deleted ${organizationId}.`],
      }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, body, change }, world) => {
    if (body.confirm !== organizationId)
      return errorReply(400, 'confirm: must be the id of the organization.')
    if ((await world.moves.running(organizationId)) !== null)
      return errorReply(409, `${organizationId} is being moved. Delete it when "org show" names no move.`)
    await change.announce({ type: 'rows', kind: null, rows: 0 })
    const outcome = await deleteOrganization(organizationId, world)
    if (outcome === 'unknown') return notThere(organizationId)
    if (outcome === 'has_children')
      return errorReply(409, `${organizationId} is the parent of others. Delete or untie them before.`)
    const rows = Object.values(outcome.rows).reduce((sum, some) => sum + some, 0)
    change.concerns({ type: 'rows', kind: null, rows })
    return jsonReply(200, outcome, PRIVATE)
  },
})

/** A number of days as a flag gives it. */
const DaysText = v.pipe(
  v.string(),
  v.regex(/^(?:none|[1-9]\d{0,4})$/, 'must be a number of days, or none'),
  v.transform((days) => (days === 'none' ? null : Number(days))),
)

export const setRetention = operated({
  id: 'retention.set',
  path: `${PATH}/retention`,
  action: 'retention.set',
  ...common,
  versioned: { of: showOrganization },
  summary: 'Set for how long submissions and sends are kept',
  description: 'What is left out stays as it is. The state is that of the organization.',
  body: jsonBody(
    v.strictObject({
      submissions: v.exactOptional(RetentionBody.entries.submissions),
      sends: v.exactOptional(RetentionBody.entries.sends),
    }),
    { submissions: 365 },
  ),
  responses: {
    200: jsonResponse('The settings.', RetentionBody, { submissions: 365, sends: null }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['retention', 'set'],
      flags: {
        org: ofOrganization(),
        submissions: sets('submissions', text('DAYS|none'), DaysText),
        sends: sets('sends', text('DAYS|none'), DaysText),
      },
      summary: 'Set for how long submissions and the log of sends are kept',
      details: [
        'What is older is removed once a day. A flag that is not given keeps what is set. "org show" prints the settings.',
      ],
      examples: ['--org lakeside --submissions 365 --sends 90'],
      problem: ({ submissions, sends }) =>
        submissions === undefined && sends === undefined ? '--submissions or --sends is needed' : null,
      says: ({ submissions, sends }, { params: { organizationId } }) => {
        const shown = (days: number | null) => (days === null ? 'for ever' : `${days} days`)
        return {
          notes: [
            `${organizationId} keeps submissions ${shown(submissions)}, and the log of sends ${shown(sends)}.`,
          ],
        }
      },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, body, change, precondition }, world) => {
    const setting = await changeAsRead(operation, precondition, {
      read: () => findState(organizationId, world),
      shown: (found) => (found === null ? null : shownState(found)),
      write: async (found, isConditional) => {
        const settings = found?.settings ?? null
        await change.announce({ type: 'retention', ...(settings?.retention ?? NOTHING_ENDS), ...body })
        const now = toInstant(world.clock.nowMs())
        const seen = isConditional ? (settings ?? undefined) : undefined
        const outcome = await world.organizationStore(organizationId).setRetention(body, now, seen)
        return outcome.kind === 'changed' ? 'overtaken' : { found, outcome }
      },
    })
    if ('refusal' in setting) return setting.refusal
    const { found, outcome } = setting.outcome
    if (outcome.kind !== 'set' || found === null) return notThere(organizationId)
    const { retention } = outcome
    change.concerns({ type: 'retention', ...retention })
    const settings = found.settings === null ? null : { ...found.settings, retention }
    return stateReply(operation, 200, retention, shownState({ ...found, settings }))
  },
})
