import { count, instant, ofParameter, operated } from './serve.ts'
import * as v from 'valibot'
import type { AuditRecord, AuditSubject } from '../../ports/operators.ts'
import { choice, ofOrganization, sets, text } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { placeKinds } from '../placement/operators/overview.ts'
import { auditActions, auditActionWords } from '../record/description.ts'
import {
  optionalText,
  optionalWord,
  organizationFilter,
  pageOf,
  pageParameters,
  pageResponse,
  servePage,
} from './list.ts'
import { personRoles } from './people.ts'

const texts = v.array(v.string())

const Settings = v.strictObject({
  type: v.literal('settings'),
  changed: described(texts, 'The settings of the organization that got another value.'),
})

const Key = v.strictObject({
  type: v.literal('key'),
  id: described(v.string(), 'The id of the key.'),
  successorId: v.exactOptional(described(v.string(), 'The key that replaced it in a rotation.')),
  descendants: v.exactOptional(
    described(
      texts,
      'The operator keys that descend from it and were revoked with it, at most 1000 of them.',
    ),
  ),
  keys: v.exactOptional(
    described(
      texts,
      'The keys of organizations and of the platform that were revoked with it, at most 1000 of them.',
    ),
  ),
  unreached: v.exactOptional(
    described(texts, 'The organizations whose keys were not reached, if there were any.'),
  ),
})

const Import = v.strictObject({
  type: v.literal('import'),
  id: described(v.nullable(v.string()), 'The id of the import; null: none was opened.'),
  kind: v.exactOptional(described(v.string(), 'What the rows are.')),
  dryRun: v.exactOptional(described(v.literal(true), 'Given for a dry run, which writes nothing.')),
  rows: v.exactOptional(described(count, 'Rows of the file that were read and checked.')),
  changedRows: v.exactOptional(
    described(count, 'Rows that were new, or replaced different content, when all were written at once.'),
  ),
  problems: v.exactOptional(described(count, 'Problems that were found in the file, if there were any.')),
})

const Move = v.strictObject({
  type: v.literal('move'),
  id: described(v.nullable(v.string()), 'The id of the move; null: none was begun.'),
  to: v.exactOptional(described(v.picklist(placeKinds), 'Where the family was to live.')),
})

const Entry = v.strictObject({
  type: v.literal('entry'),
  id: described(v.string(), 'The id of the entry of the outbox.'),
})

const WebhookSubject = v.strictObject({
  type: v.literal('webhook'),
  id: described(v.string(), 'The id of the webhook.'),
  changed: v.exactOptional(described(texts, 'The settings that were named.')),
})

const Archive = v.strictObject({
  type: v.literal('archive'),
  name: described(v.nullable(v.string()), 'The name of the archive; null: it has none here.'),
  secrets: described(v.boolean(), 'Whether keys and the hashes of form passwords are in it.'),
})

const FormsChanged = v.strictObject({
  type: v.literal('forms'),
  ids: described(v.array(v.string()), 'The ids of the forms.'),
  changed: v.exactOptional(
    described(
      v.array(
        v.strictObject({
          id: described(v.string(), 'The id of the form.'),
          keys: described(texts, 'The keys of the form whose values changed, `password` among them.'),
          fieldIds: described(
            texts,
            'The ids of fields that were added, changed or removed, at most 100 in one record.',
          ),
        }),
      ),
      'What changed, by names. Forms that stayed as they were are left out.',
    ),
  ),
})

const AutomationsChanged = v.strictObject({
  type: v.literal('automations'),
  ids: described(texts, 'The ids of the automations.'),
  changed: v.exactOptional(
    described(
      v.array(
        v.strictObject({
          id: described(v.string(), 'The id of the automation.'),
          keys: described(texts, 'The keys of the automation whose values changed.'),
        }),
      ),
      'What changed, by names. Automations that stayed as they were are left out.',
    ),
  ),
})

const Test = v.strictObject({
  type: v.literal('test'),
  formId: described(v.string(), 'The form whose fields are in the message.'),
  channel: described(v.picklist(['email', 'sms']), 'How it was sent. The recipient is not recorded.'),
})

const Rows = v.strictObject({
  type: v.literal('rows'),
  kind: described(v.nullable(v.string()), 'What the rows were; null: everything of an organization.'),
  rows: described(count, 'How many rows.'),
})

const Submissions = v.strictObject({
  type: v.literal('submissions'),
  count: described(count, 'How many submissions were named.'),
  as: described(v.picklist(['read', 'unread', 'spam', 'clean']), 'As what they were marked.'),
})

const Contacts = v.strictObject({
  type: v.literal('contacts'),
  ids: described(texts, 'The contacts of the person.'),
  dryRun: v.exactOptional(described(v.literal(true), 'Given for a dry run, which erases nothing.')),
})

const daysKept = v.nullable(count)

const Retention = v.strictObject({
  type: v.literal('retention'),
  submissions: described(daysKept, 'For how many days submissions are kept; null: for ever.'),
  sends: described(daysKept, 'For how many days the log of sends is kept; null: for ever.'),
})

const PersonSubject = v.strictObject({
  type: v.literal('person'),
  email: described(v.string(), 'The address of the person.'),
  role: described(
    v.nullable(v.picklist(personRoles)),
    'The role that they got; null: they lost one, or their sessions.',
  ),
})

const Subject = component(
  'AuditSubject',
  described(
    v.union([
      Settings,
      Key,
      Import,
      Move,
      Archive,
      FormsChanged,
      AutomationsChanged,
      Test,
      Rows,
      Submissions,
      Contacts,
      Retention,
      PersonSubject,
      WebhookSubject,
      Entry,
    ]),
    'What a change is about.',
  ),
)

const Recorded = v.strictObject({
  at: described(instant, 'When it was asked for.'),
  operatorKeyId: described(
    v.nullable(v.string()),
    'The key that asked; null: a person who signed in, or whoever holds the root secret.',
  ),
  operator: described(
    v.string(),
    'The person or program that the key was issued to, or the address of the person.',
  ),
  action: worded(described(v.string(), 'What was asked for.'), { choices: auditActionWords }),
  organizationId: described(
    v.nullable(v.string()),
    'The organization that it is about; null: the platform, or the service.',
  ),
  outcome: described(
    v.picklist(['done', 'refused', 'forbidden', 'failed']),
    '`done`: it was changed. `refused`: it was not, because what is stored did not allow it. `forbidden`: it was not, because the role did not allow it. `failed`: the service failed, so it may or may not have been changed.',
  ),
  subject: described(
    v.nullable(Subject),
    'What it is about; of a change that was not made, what it would have been about. Null: not known, because the request was refused before that was clear, or because the record is older than this field.',
  ),
})

/** The actions stand in two lines of the help. */
const HALF = Math.ceil(auditActions.length / 2)

export const listAudit = operated({
  id: 'audit.list',
  method: 'GET',
  path: '/operator/v1/audit',
  access: 'support',
  belonging: ofParameter,
  tag: 'Audit',
  summary: 'List what operators did',
  description: 'Newest first: every change, and every one that was refused.',
  query: {
    organizationId: organizationFilter,
    operatorKeyId: optionalText('Only what was asked for with this key.', '3kTzB0n9QmVx'),
    action: optionalWord('Only requests for this change.', auditActions, 'key.revoke', {
      choices: auditActionWords,
    }),
    ...pageParameters,
  },
  responses: {
    200: pageResponse('A page of records.', pageOf('AuditPage', Recorded), {
      at: '2026-05-19T18:10:00.000Z',
      operatorKeyId: '3kTzB0n9QmVx',
      operator: 'ada',
      action: 'key.revoke',
      organizationId: 'acme',
      outcome: 'done',
      subject: { type: 'key', id: '8LwR1yZpAq0d' },
    }),
  },
  commands: [
    {
      words: ['audit'],
      flags: {
        org: ofOrganization('optional'),
        'operator-key': sets('operatorKeyId', text('KEYID')),
        action: sets('action', choice('A', auditActions)),
      },
      summary: 'Print what operators changed, newest first',
      details: [
        'The outcome is done; refused or',
        'forbidden, when what is stored or the role did not allow it; or failed. The subject says what it is about: the id',
        'of the key, import, move or outbox entry, or which settings changed; of an import also its kind and counts.',
        '--org, --operator-key and --action narrow the list to one organization, one key that asked, or one action:',
        `${auditActions.slice(0, HALF).join(', ')},`,
        `${auditActions.slice(HALF).join(', ')}.`,
      ],
      examples: ['', '--org lakeside --action key.issue --limit 20', '--json'],
      columns: [
        { head: 'at', of: ({ at }) => at },
        { head: 'operator', of: ({ operator }) => operator, mayBeCut: true },
        { head: 'action', of: ({ action }) => action },
        { head: 'outcome', of: ({ outcome }) => outcome },
        { head: 'organization', of: ({ organizationId }) => organizationId },
        { head: 'subject', of: ({ subject }) => JSON.stringify(subject), mayBeCut: true },
        { head: 'operator key', of: ({ operatorKeyId }) => operatorKeyId },
      ],
      piped: 'json',
    },
  ],
  answer: async ({ operation, query }, world) => {
    const { organizationId, operatorKeyId, action } = query
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) => world.audit.list({ organizationId, operatorKeyId, action }, after, limit),
      positionOf: ({ at, auditId }) => ({ value: at, id: auditId }),
      publish: published,
    })
  },
})

function published(record: AuditRecord): v.InferOutput<typeof Recorded> {
  const { at, operatorKeyId, operator, action, organizationId, outcome, subject } = record
  return { at, operatorKeyId, operator, action, organizationId, outcome, subject: publishedSubject(subject) }
}

/** The subject as it is published. One that another version of the service wrote in its own way is not known. */
function publishedSubject(subject: AuditSubject | null): v.InferOutput<typeof Subject> | null {
  const checked = v.safeParse(Subject, subject)
  return checked.success ? checked.output : null
}
