import * as v from 'valibot'
import { RECIPIENT_DAILY_MAX, stepProblems } from '../forms/message-text.ts'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import { ofOrganization, type Called, type Said } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { automations } from '../resources/automations.ts'
import { ended } from '../text/schema-errors.ts'
import { toInstant } from '../text/instant.ts'
import { shownJson } from '../text/terminal.ts'
import { changeAsRead, isConditional, stateReply } from './change.ts'
import { pageOf, pageParameters, samplePagination, servePlacesPage, readStoredPage } from './list.ts'
import {
  findAutomations,
  idIn,
  lineOf,
  saveAutomations,
  setStatus,
  storedAutomationFields,
  type SavedAutomation,
  type StoredAutomation,
} from './save-automations.ts'
import { findForms } from './save-forms.ts'
import { count, instant, jsonBody } from './schema.ts'
import { operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'

/** The path of an organization's automations. */
const AUTOMATIONS_PATH = '/operator/v1/organizations/{organizationId}/automations'

/** The maximum number of automations that are saved at once, and the maximum size of the request. */
export const AUTOMATIONS_MAX = 100
const MAX_BYTES = 1_048_576

const Status = worded(v.picklist(['active', 'paused', 'draft']), {
  choices: { active: 'Active', paused: 'Paused', draft: 'Draft' },
})

const ListedAutomation = v.strictObject({
  automationId: described(v.string(), 'Names the automation, in its organization.'),
  name: v.string(),
  status: described(Status, 'Whether a submission starts it: only an active one.'),
  formId: described(v.nullable(v.string()), 'The form whose submissions trigger it; null: none does.'),
  stepCount: described(count, 'How many steps it has.'),
  createdAt: instant,
  updatedAt: instant,
})

type ListedAutomation = v.InferOutput<typeof ListedAutomation>

const sample: ListedAutomation = {
  automationId: 'thanks',
  name: 'Thank you',
  status: 'active',
  formId: 'contact',
  stepCount: 1,
  createdAt: '2026-05-01T08:30:00.000Z',
  updatedAt: '2026-05-04T09:00:00.000Z',
}

const sampleLine = {
  automationId: 'thanks',
  name: 'Thank you',
  status: 'active',
  trigger: { type: 'form_submission', formId: 'contact' },
  steps: [
    {
      type: 'send_email',
      to: 'contact',
      subject: 'Thank you, {{firstName}}',
      html: '<p>We have your message.</p>',
    },
  ],
}

const Bounds = v.strictObject({
  recipientDaily: described(
    count,
    'How many messages automations send to one address or number within a day.',
  ),
  organizationHourly: described(count, 'How many they send within an hour in all.'),
})

const ShownAutomation = component(
  'StoredAutomation',
  described(
    v.strictObject({
      automation: described(v.record(v.string(), v.unknown()), 'The automation as an import takes it.'),
      ...ListedAutomation.entries,
      problems: described(
        v.array(v.string()),
        'What its texts name and the form does not have, or no longer: it is empty in the messages.',
      ),
      bounds: described(Bounds, 'What automations of the organization send at most. What is over waits.'),
    }),
    'An automation with its steps.',
  ),
)

type ShownAutomation = v.InferOutput<typeof ShownAutomation>

const common = { access: 'support', tag: 'Automations', needsOrganization: true } as const

export const listOrganizationAutomations = operated({
  id: 'organizationAutomations.list',
  openTo: 'member',
  method: 'GET',
  path: AUTOMATIONS_PATH,
  ...common,
  summary: "List an organization's automations",
  description: 'Newest first.',
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of automations.', pageOf('AutomationPage', ListedAutomation), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['automation', 'list'],
      flags: { org: ofOrganization() },
      summary: "List an organization's automations, newest first",
      examples: ['--org lakeside', '--org lakeside --json'],
      columns: [
        { head: 'automation', of: ({ automationId }) => automationId },
        { head: 'status', of: ({ status }) => status },
        { head: 'form', of: ({ formId }) => formId },
        { head: 'steps', of: ({ stepCount }) => stepCount },
        { head: 'changed at', of: ({ updatedAt }) => updatedAt },
        { head: 'name', of: ({ name }) => name, mayBeCut: true },
      ],
      shown: { count: 1000, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    const order = { field: 'createdAt', idField: automations.idField, direction: 'descending' } as const
    const asked = { collection: automations.collection, select: listedFields, where: [], order }
    return servePlacesPage(
      query,
      {
        scope: { endpointId: operation.id, organizationId },
        read: (after, limit) =>
          readStoredPage<ListedRow>(world.tenant(organizationId), asked, { after, limit }),
      },
      world,
      listed,
    )
  },
})

export const showOrganizationAutomation = operated({
  id: 'organizationAutomations.show',
  openTo: 'member',
  method: 'GET',
  path: `${AUTOMATIONS_PATH}/{automationId}`,
  ...common,
  versioned: { except: ['problems', 'bounds'] },
  summary: 'Show an automation with its steps',
  responses: {
    200: jsonResponse('The automation.', ShownAutomation, {
      automation: sampleLine,
      ...sample,
      problems: [],
      bounds: { recipientDaily: RECIPIENT_DAILY_MAX, organizationHourly: 500 },
    }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['automation', 'show'],
      positionals: ['AUTOMATIONID'],
      flags: { org: ofOrganization() },
      summary: 'Print an automation as JSON, as "automation save" takes it',
      details: [
        'Beside it is said how many messages automations send at most, and what its texts name in vain.',
      ],
      examples: ['thanks --org lakeside > thanks.json'],
      says: ({ automation, problems, bounds }) => ({
        out: [shownJson(automation, 2)],
        notes: [...problems, boundsText(bounds)],
      }),
    },
  ],
  answer: async ({ operation, params: { organizationId = '', automationId = '' }, organization }, world) => {
    const tenant = world.tenant(organizationId)
    const stored = (await findAutomations([automationId], tenant)).get(automationId)
    if (stored === undefined) return unknownAutomation(automationId, organizationId)
    const body = await shownWith(stored, tenant, organization.automationHourly)
    return stateReply(operation, 200, body, body)
  },
})

function boundsText({ recipientDaily, organizationHourly }: v.InferOutput<typeof Bounds>): string {
  return `Automations send at most ${recipientDaily} messages a day to one address or number, and ${organizationHourly} an hour in all. What is over waits, for three days.`
}

const Saved = v.strictObject({
  automationId: v.string(),
  outcome: described(v.picklist(['created', 'changed', 'unchanged']), 'What became of it.'),
  status: Status,
  changed: described(v.array(v.string()), 'The keys whose values changed.'),
})

const savedSample: v.InferOutput<typeof Saved> = {
  automationId: 'thanks',
  outcome: 'created',
  status: 'active',
  changed: ['automationId', 'name', 'status', 'trigger', 'steps', 'createdAt'],
}

const SavedAutomations = component(
  'SavedAutomations',
  described(
    v.strictObject({ data: described(v.array(Saved), 'One for each automation, in their order.') }),
    'What became of automations.',
  ),
)

const RefusedAutomations = component(
  'RefusedAutomations',
  described(
    v.strictObject({
      error: v.string(),
      problems: described(
        v.array(
          v.strictObject({
            automation: described(
              v.pipe(v.number(), v.integer()),
              'Which of the automations, beginning with 1.',
            ),
            field: described(v.string(), 'The part of the automation, such as `steps[0].subject`.'),
            message: described(v.string(), 'The rest of a sentence that begins with the part.'),
          }),
        ),
        'What is wrong, at most fifty of them.',
      ),
    }),
    'Why none of the automations was saved.',
  ),
)

export const saveOrganizationAutomations = operated({
  id: 'organizationAutomations.save',
  method: 'POST',
  path: AUTOMATIONS_PATH,
  access: 'admin',
  openTo: 'owner',
  tag: 'Automations',
  needsOrganization: true,
  action: 'automation.save',
  versioned: { of: showOrganizationAutomation, mayCreate: true, mayBeSeveral: true },
  summary: 'Create or update automations',
  description:
    'All of them, or none. A setting that is left out is cleared, but `status` and `createdAt` stay as they are stored; a new automation without a status is a draft. An unknown key is refused, and so is what is not there: the form, a list, and in texts `{{fieldId}}` of no field of the form.',
  body: jsonBody(
    v.strictObject({
      automations: described(
        v.pipe(
          v.array(v.record(v.string(), v.unknown(), 'must be an object'), 'must be an array'),
          v.minLength(1, 'must not be empty'),
          v.maxLength(AUTOMATIONS_MAX, `must be at most ${AUTOMATIONS_MAX} automations`),
        ),
        'Automations as an import takes them. `status` and `createdAt` may be left out.',
      ),
    }),
    { automations: [sampleLine] },
    MAX_BYTES,
  ),
  responses: {
    200: jsonResponse('They are saved.', SavedAutomations, { data: [savedSample] }),
    400: 'BadRequest',
    404: 'NotFound',
    422: jsonResponse('Nothing is saved.', RefusedAutomations, {
      error:
        'Nothing was saved. Automation 1: steps[0].subject has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
      problems: [
        {
          automation: 1,
          field: 'steps[0].subject',
          message: 'has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}?',
        },
      ],
    }),
  },
  answer: async ({ operation, params: { organizationId = '' }, organization, ...asked }, world) => {
    const { body, change, precondition } = asked
    const isOne = body.automations.length === 1
    if (isConditional(precondition) && !isOne)
      return errorReply(
        400,
        'If-Match and If-None-Match: need a single automation, because each has its own ETag.',
      )
    const ids = body.automations.map(idIn).filter((id) => id !== '')
    await change.announce({ type: 'automations', ids: ids.filter(isRecordable) })
    const tenant = world.tenant(organizationId)
    const ports = { tenant, organizationId, now: toInstant(world.clock.nowMs()) }
    const saved = await changeAsRead(operation, precondition, {
      read: () => stateOf(ids, tenant, organization.automationHourly),
      shown: ({ state }) => state,
      write: ({ found }) => saveAutomations(body.automations, found, ports),
    })
    if ('refusal' in saved) return saved.refusal
    const saving = saved.outcome
    if (saving.kind === 'refused') return refused(saving.problems)
    change.concerns(subjectOf(saving.saved))
    const [only] = saving.saved
    const state =
      isOne && only !== undefined
        ? await shownWith(only.automation, tenant, organization.automationHourly)
        : null
    return stateReply(operation, 200, { data: saving.saved.map(publishedSave) }, state)
  },
})

function refused(
  problems: Extract<Awaited<ReturnType<typeof saveAutomations>>, { kind: 'refused' }>['problems'],
) {
  const told = problems
    .slice(0, PROBLEMS_MAX)
    .map(({ field, ...problem }) => ({ ...problem, field: echoed(field) }))
  const sentences = told.map(
    ({ automation, field, message }) => `Automation ${automation}: ${field} ${ended(message)}`,
  )
  return jsonReply(422, { error: ['Nothing was saved.', ...sentences].join(' '), problems: told }, PRIVATE)
}

/** What a person is told of an automation that was saved, in a line. */
export function toldOfAutomation({
  automationId,
  outcome,
  status,
  changed,
}: v.InferOutput<typeof Saved>): string {
  const what = outcome === 'changed' ? ` (${changed.join(', ')})` : ''
  return `${automationId}: ${outcome}${what}, ${status}`
}

const switching = {
  positionals: ['AUTOMATIONID'],
  flags: { org: ofOrganization() },
  examples: ['thanks --org lakeside'],
  says: (saved: v.InferOutput<typeof Saved>, _called: Called): Said => ({ out: [toldOfAutomation(saved)] }),
}

export const setAutomationStatus = operated({
  id: 'organizationAutomations.setStatus',
  method: 'PUT',
  path: `${AUTOMATIONS_PATH}/{automationId}/status`,
  access: 'admin',
  openTo: 'owner',
  tag: 'Automations',
  needsOrganization: true,
  action: 'automation.status',
  versioned: { of: showOrganizationAutomation },
  summary: 'Pause an automation, or resume it',
  description:
    'Submissions start an active automation only. What they have started before goes on. Nothing else of it changes.',
  body: jsonBody(
    v.strictObject({
      status: described(v.picklist(['active', 'paused']), 'What it shall be.'),
    }),
    { status: 'paused' },
  ),
  responses: {
    200: jsonResponse('It is as asked.', Saved, {
      ...savedSample,
      outcome: 'changed',
      status: 'paused',
      changed: ['status'],
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['automation', 'pause'],
      ...switching,
      body: { status: 'paused' },
      summary: 'Pause an automation, so that no submission starts it',
      details: ['What submissions have started before goes on.'],
    },
    {
      words: ['automation', 'resume'],
      ...switching,
      body: { status: 'active' },
      summary: 'Resume an automation, or begin with a draft',
      details: ['It follows submissions from now on, and not those that came in meanwhile.'],
    },
  ],
  answer: async (request, world) => {
    const { operation, organization, body, change, precondition } = request
    const { organizationId = '', automationId = '' } = request.params
    const tenant = world.tenant(organizationId)
    if (!(await findAutomations([automationId], tenant)).has(automationId))
      return unknownAutomation(automationId, organizationId)
    await change.announce({ type: 'automations', ids: [automationId].filter(isRecordable) })
    const saved = await changeAsRead(operation, precondition, {
      read: () => stateOf([automationId], tenant, organization.automationHourly),
      shown: ({ state }) => state,
      write: async ({ found }) => {
        const stored = found.get(automationId)
        return stored === undefined ? null : setStatus(stored, body.status, tenant)
      },
    })
    if ('refusal' in saved) return saved.refusal
    if (saved.outcome === null) return unknownAutomation(automationId, organizationId)
    change.concerns(subjectOf([saved.outcome]))
    const state = await shownWith(saved.outcome.automation, tenant, organization.automationHourly)
    return stateReply(operation, 200, publishedSave(saved.outcome), state)
  },
})

/** An automation of a list, which may be long, so its steps are not read. */
type ListedRow = Omit<StoredAutomation, 'steps'>
const listedFields = storedAutomationFields.filter((field) => field !== 'steps')

function listed(stored: ListedRow): ListedAutomation {
  const { automationId, name, status, triggerFormId, stepCount, createdAt, updatedAt } = stored
  return { automationId, name, status, formId: triggerFormId, stepCount, createdAt, updatedAt }
}

type Tenant = ReturnType<OperatorWorld['tenant']>

/** Automations, and how the first is shown: several have no state together. Null: there is none. */
async function stateOf(ids: readonly string[], tenant: Tenant, organizationHourly: number) {
  const found = await findAutomations(ids, tenant)
  const [first] = found.values()
  const state = first === undefined ? null : await shownWith(first, tenant, organizationHourly)
  return { found, state }
}

/** An automation with its steps: the state that the operations on automations change. */
async function shownWith(
  stored: StoredAutomation,
  tenant: Tenant,
  organizationHourly: number,
): Promise<ShownAutomation> {
  const { triggerFormId } = stored
  const form =
    triggerFormId === null ? undefined : (await findForms([triggerFormId], tenant)).get(triggerFormId)
  const problems = form === undefined ? [] : stepProblems(stored.steps, form.definition.fields)
  return {
    automation: lineOf(stored),
    ...listed(stored),
    problems: problems.slice(0, PROBLEMS_MAX).map(({ field, message }) => ended(`${field} ${message}`)),
    bounds: { recipientDaily: RECIPIENT_DAILY_MAX, organizationHourly },
  }
}

function publishedSave({ automation, outcome, keys }: SavedAutomation): v.InferOutput<typeof Saved> {
  const { automationId, status } = automation
  return { automationId, outcome, status, changed: [...keys] }
}

/** An id of another form may be a mistyped secret or an address, which is not recorded. */
function isRecordable(id: string): boolean {
  return /^[\w.:-]{1,200}$/.test(id)
}

function subjectOf(saved: readonly SavedAutomation[]) {
  const ids = saved.map(({ automation }) => automation.automationId).filter(isRecordable)
  const changed = saved
    .filter(({ automation, keys }) => keys.length > 0 && isRecordable(automation.automationId))
    .map(({ automation, keys }) => ({ id: automation.automationId, keys }))
  return { type: 'automations', ids, changed } as const
}

function unknownAutomation(automationId: string, organizationId: string) {
  return errorReply(404, `${organizationId} has no automation ${echoed(automationId)}.`)
}
