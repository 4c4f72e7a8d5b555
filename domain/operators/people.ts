import * as v from 'valibot'
import type { PersonInRole, PersonRole } from '../../ports/operators.ts'
import { ofOrganization, many, sets, text, type Column } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { echoed } from '../limits/limits.ts'
import { emailKey, readEmailAddress } from '../text/typed-text.ts'
import { toInstant } from '../text/instant.ts'
import { isOperator, notThere, ofParameter, operated, instant, jsonBody, personName } from './serve.ts'
import { changeAsRead, drawAuditId, stateReply } from './change.ts'
import { optionalText, pageOf, pageParameters, pageResponse, servePage } from './list.ts'
import type { OperatorWorld } from './world.ts'
import type { Operator } from '../access/operator-credentials.ts'

// People sign in with their address and have roles: in the service, or in organizations.

export const personRoles = ['member', 'owner', 'support', 'admin'] as const satisfies readonly PersonRole[]

const role = worded(
  described(v.picklist(personRoles, `must be ${personRoles.join(', ')}`), 'What they may do.'),
  {
    choices: {
      member: 'Member: reads, answers the inbox and edits forms',
      owner: 'Owner: everything of the organization',
      support: 'Support: reads, and retries the outbox',
      admin: 'Admin: does everything',
    },
  },
)

const PersonBody = v.strictObject({
  email: described(v.string(), 'The address with which they sign in.'),
  name: worded(described(v.nullable(v.string()), 'What whoever gave the role calls them; null: nothing.'), {
    none: 'no name',
  }),
  role,
  organizationId: worded(
    described(v.nullable(v.string()), 'Where they have the role; null: in the whole service.'),
    { none: 'the whole service' },
  ),
  addedAt: described(instant, 'When they were given a role there first.'),
  addedBy: described(v.string(), 'Who gave it: the name of an operator, or the address of a person.'),
})

const ShownPerson = component('Person', described(PersonBody, 'A person with a role.'))

const sample: v.InferOutput<typeof PersonBody> = {
  email: 'ada@lakeside.example',
  name: 'Ada',
  role: 'owner',
  organizationId: 'lakeside',
  addedAt: '2026-03-01T14:00:00.000Z',
  addedBy: 'ops',
}

/** The roles that were given to a person at once. */
const GivenRoles = v.strictObject({ data: v.array(PersonBody) })

/** The maximum number of organizations in which a role is given at once. */
const PLACES_MAX = 50

const LOST_ROLE = 'Your role was changed meanwhile, so nothing was.'

export const PERSON_PATH = '/operator/v1/people/{email}'

const inOrganization = {
  organizationId: optionalText(
    'The organization in which they have the role; left out: the whole service.',
    'lakeside',
  ),
}

const common = { tag: 'People', openTo: 'owner', belonging: ofParameter } as const

const columns: readonly Column<v.InferOutput<typeof PersonBody>>[] = [
  { head: 'email', of: ({ email }) => email },
  { head: 'role', of: (person) => person.role },
  { head: 'organization', of: ({ organizationId }) => organizationId },
  { head: 'added at', of: ({ addedAt }) => addedAt },
  { head: 'added by', of: ({ addedBy }) => addedBy, mayBeCut: true },
  { head: 'name', of: ({ name }) => name, mayBeCut: true },
]

export const listPeople = operated({
  id: 'people.list',
  ...common,
  method: 'GET',
  path: '/operator/v1/people',
  access: 'support',
  summary: 'List people',
  description: 'By their address. Without an organization everybody, once for each of their roles.',
  query: { ...pageParameters, ...inOrganization },
  responses: {
    200: pageResponse('A page of people.', pageOf('PersonPage', PersonBody), sample),
  },
  commands: [
    {
      words: ['person', 'list'],
      flags: { org: ofOrganization('optional') },
      summary: 'List the people who may sign in, with their roles',
      examples: ['', '--org lakeside'],
      columns,
    },
  ],
  answer: async ({ operation, query }, world) => {
    const { organizationId } = query
    return servePage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) =>
        world.people.list(
          organizationId,
          after === null ? null : { person: after.id, organizationId: after.value as string | null },
          limit,
        ),
      positionOf: (person) => ({ id: person.person, value: person.organizationId }),
      publish: published,
    })
  },
})

export const showPerson = operated({
  id: 'people.show',
  ...common,
  method: 'GET',
  path: PERSON_PATH,
  access: 'support',
  versioned: { except: [] },
  summary: 'Show a person',
  query: inOrganization,
  responses: { 200: jsonResponse('The person.', ShownPerson, sample), 404: 'NotFound' },
  answer: async ({ operation, params: { email = '' }, query }, world) => {
    const found = await world.people.find(emailKey(email), query.organizationId)
    if (found === null) return unknownPerson(email)
    const body = published(found)
    return stateReply(operation, 200, body, body)
  },
})

export const savePerson = operated({
  id: 'people.save',
  ...common,
  method: 'PUT',
  path: PERSON_PATH,
  access: 'admin',
  action: 'person.save',
  versioned: { of: showPerson, mayCreate: true },
  summary: 'Add a person, or change their role',
  description:
    'Nobody gives a role that they do not have. `owner` and `member` are roles in an organization, `admin` is one in the service, and `support` either. A change of the role applies to the next request of the person. It ends their sessions if it is the role in the service, or the only one that they have.',
  query: inOrganization,
  body: jsonBody(
    v.strictObject({
      role,
      name: v.exactOptional(
        worded(described(v.nullable(personName), 'What to call them; left out: as before.'), {
          hint: 'What to call them here.',
        }),
      ),
    }),
    { role: 'owner', name: 'Ada' },
  ),
  responses: {
    200: jsonResponse('The person.', ShownPerson, sample),
    403: 'Forbidden',
    404: 'NotFound',
  },
  answer: async ({ operation, params, query, body, change, precondition }, world, operator) => {
    const { organizationId } = query
    const email = readEmailAddress(params.email ?? '')
    if (email === null) return errorReply(400, 'email: must be one bare email address.')
    const misplaced = misplacedRole(body.role, organizationId)
    if (misplaced !== null) return errorReply(400, misplaced)
    const refused = await unknownPlace(organizationId, world)
    if (refused !== null) return refused
    if (!mayGive(operator, body.role))
      return errorReply(403, `Nobody gives a role that they do not have, and you are ${operator.role}.`)
    const changes = change.about(organizationId, { type: 'person', email, role: body.role })
    const person = emailKey(email)
    const saved = await changeAsRead(operation, precondition, {
      read: () => world.people.find(person, organizationId),
      shown: (found) => (found === null ? null : published(found)),
      write: async (found) => {
        if (found !== null && !mayGive(operator, found.role)) return 'not theirs'
        const given = {
          ...{ person, organizationId, role: body.role, email: found?.email ?? email },
          name: body.name === undefined ? (found?.name ?? null) : body.name,
          addedAt: found?.addedAt ?? toInstant(world.clock.nowMs()),
          addedBy: found?.addedBy ?? operator.name,
        }
        if (await changes.savePerson(given, found, operator.person)) return given
        return (await hasLostRole(operator, organizationId, world)) ? null : 'overtaken'
      },
    })
    if ('refusal' in saved) return saved.refusal
    if (saved.outcome === null) return errorReply(403, LOST_ROLE)
    if (saved.outcome === 'not theirs') return takesTooMuch(operator)
    const shown = published(saved.outcome)
    return stateReply(operation, 200, shown, shown)
  },
})

export const addPerson = operated({
  id: 'people.add',
  tag: 'People',
  method: 'POST',
  path: '/operator/v1/people',
  access: 'admin',
  action: 'person.save',
  summary: 'Give a person a role, in several organizations at once',
  description: `All of it or nothing, whatever roles the person has there: a change of one is as with \`people.save\`. At most ${PLACES_MAX} organizations in a call.`,
  body: jsonBody(
    v.strictObject({
      email: described(v.string('must be a string'), 'The address with which they sign in.'),
      role,
      name: v.exactOptional(
        described(v.nullable(personName), 'What to call them; null or left out: as before.'),
      ),
      organizationIds: v.exactOptional(
        described(
          v.pipe(
            v.array(v.string('must be a string')),
            v.maxLength(PLACES_MAX, `has more than ${PLACES_MAX}`),
          ),
          'Where they have the role; left out or empty: in the whole service.',
        ),
      ),
    }),
    { email: 'sam@ops.example', role: 'support', organizationIds: ['lakeside', 'harbor'] },
  ),
  responses: {
    200: jsonResponse('The person, in each of these roles.', GivenRoles, { data: [sample] }),
    403: 'Forbidden',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['person', 'add'],
      positionals: ['EMAIL'],
      argument: 'email',
      flags: {
        org: sets('organizationIds', many('ID')),
        role: sets('role', text(personRoles.join('|'), 'required')),
        name: sets('name', text('NAME')),
      },
      summary: 'Let a person sign in, or change what they may do',
      details: [
        'With --org, which may be given several times: owner (everything of the organization), member (its inbox, its forms,',
        'and to read), or support (an operator who sees these organizations alone). Without: admin or support of the whole',
        'service. A person who is there gets the new role.',
      ],
      examples: [
        'ada@lakeside.example --org lakeside --role owner',
        'sam@ops.example --role support --org lakeside --org harbor',
      ],
      says: ({ data }) => ({
        notes: data.map(
          ({ email, role: given, organizationId }) =>
            `${email} is ${given} of ${organizationId ?? 'the service'}, and signs in at /console.`,
        ),
      }),
    },
  ],
  answer: async ({ body, change }, world, operator) => {
    const email = readEmailAddress(body.email)
    if (email === null) return errorReply(400, 'email: must be one bare email address.')
    const { role: given, name = null, organizationIds = [] } = body
    const places = organizationIds.length === 0 ? [null] : [...new Set(organizationIds)]
    const misplaced = misplacedRole(given, places[0] ?? null)
    if (misplaced !== null) return errorReply(400, misplaced)
    const unknown = await Promise.all(places.map((place) => unknownPlace(place, world)))
    const refused = unknown.find((refusal) => refusal !== null)
    if (refused != null) return refused
    const person = emailKey(email)
    const added = { addedAt: toInstant(world.clock.nowMs()), addedBy: operator.name }
    const roles = places.map((place) => {
      return { person, organizationId: place, role: given, email, name, ...added }
    })
    const changes = change.about(places[0] ?? null, { type: 'person', email, role: given })
    const auditIds = places.slice(1).map(() => drawAuditId(world.random))
    if (!(await changes.addPerson(roles, auditIds, operator.person))) return errorReply(403, LOST_ROLE)
    const found = await Promise.all(places.map((place) => world.people.find(person, place)))
    return jsonReply(200, { data: found.flatMap((one) => (one === null ? [] : [published(one)])) }, PRIVATE)
  },
})

export const removePerson = operated({
  id: 'people.remove',
  ...common,
  method: 'DELETE',
  path: PERSON_PATH,
  access: 'admin',
  action: 'person.remove',
  summary: 'Remove a person',
  description:
    'They lose the role there with their next request. Roles elsewhere stay; without one, or if the role was that in the service, their sessions end.',
  query: inOrganization,
  responses: {
    204: { description: 'They have no role there.' },
    403: 'Forbidden',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['person', 'remove'],
      positionals: ['EMAIL'],
      flags: { org: sets('organizationId', text('ID')) },
      summary: 'Take the role of a person',
      details: [
        'With --org: the role in that organization. Without: the role in the service. Their sessions end if it was the only',
        'role that they had, or that in the service.',
      ],
      examples: ['ada@lakeside.example --org lakeside'],
      says: () => ({ notes: ['They have no role there any more.'] }),
    },
  ],
  answer: async ({ params: { email = '' }, query: { organizationId }, change }, world, operator) => {
    const found = await world.people.find(emailKey(email), organizationId)
    if (found === null) return unknownPerson(email)
    if (!mayGive(operator, found.role)) return takesTooMuch(operator)
    const changes = change.about(organizationId, { type: 'person', email: found.email, role: null })
    return (await changes.removePerson(found, undefined, operator.person))
      ? ({ status: 204, headers: PRIVATE, body: null } as const)
      : unknownPerson(email)
  },
})

export function unknownPerson(email: string) {
  return errorReply(404, `${echoed(email)} has no role there.`)
}

function published({ email, name, role: given, organizationId, addedAt, addedBy }: PersonInRole) {
  return { email, name, role: given, organizationId, addedAt, addedBy }
}

/** Why a role cannot be given there; null: it can. */
function misplacedRole(given: PersonRole, organizationId: string | null): string | null {
  if (organizationId === null && (given === 'owner' || given === 'member'))
    return `role: ${given} is a role in an organization: give organizationId.`
  if (organizationId !== null && given === 'admin')
    return 'role: admin is a role in the whole service, without organizationId.'
  return null
}

/** Whether an operator may give, and take, a role: an admin all, an owner those of organizations. */
function mayGive(operator: Operator, given: PersonRole): boolean {
  return isOperator(operator) ? operator.role === 'admin' : given === 'owner' || given === 'member'
}

function takesTooMuch({ role: own }: Operator) {
  return errorReply(403, `Nobody takes a role that they do not have, and you are ${own}.`)
}

/** Whether a person who asks for a change may no longer ask for it. */
async function hasLostRole(
  { person }: Operator,
  organizationId: string | null,
  { people }: OperatorWorld,
): Promise<boolean> {
  if (person === null) return false
  const roles = [await people.find(person, organizationId), await people.find(person, null)]
  return !roles.some((found) => found?.role === 'owner' || found?.role === 'admin')
}

async function unknownPlace(organizationId: string | null, { administration }: OperatorWorld) {
  if (organizationId === null || (await administration.findOrganization(organizationId)) !== null) return null
  return notThere(organizationId)
}
