import * as v from 'valibot'
import { readEmailAddress } from '../../../text/contact/email-address.ts'
import { idMaxLength } from '../../../record/field.ts'
import { described } from '../../../record/operation/meaning.ts'
import { jsonResponse, operation } from '../../../record/operation/operation.ts'
import { jsonBody } from '../../interface/body.ts'
import { RetentionBody, showOrganization } from './organizations.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const PATH = '/operator/v1/organizations/{organizationId}'
const common = { method: 'POST', access: 'admin', tag: 'Removal' } as const

/** The maximum number of rows that one request removes. All of them go in one transaction. */
export const REMOVED_ROWS_MAX = 5_000

/** Between the ids of a row that is named by two of them. No id contains it. */
export const ID_SEPARATOR = '\t'

const rowId = v.pipe(v.string(), v.minLength(1), v.maxLength(2 * idMaxLength + 1))

export const deleteRows = operation({
  id: 'rows.delete',
  path: `${PATH}/rows/{kind}/delete`,
  action: 'rows.delete',
  ...common,
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
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

const Position = v.pipe(
  v.string(),
  v.maxLength(1_000),
  v.regex(/^\[\d{1,3},"[^\n]*"\]$/, 'must be what an answer gave'),
  v.parseJson({}, 'must be what an answer gave'),
  v.stringifyJson(),
)

export const eraseContact = operation({
  id: 'contacts.erase',
  path: `${PATH}/contacts/erase`,
  action: 'contact.erase',
  ...common,
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
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

export const deleteOrganizationEndpoint = operation({
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
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

export const setRetention = operation({
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
    400: 'BadRequest',
    404: 'NotFound',
  },
})
