import * as v from 'valibot'
import type { PersonRole } from '../../ports/people.ts'
import { operatorRoles, endSession, sessionTimes } from '../access/operator-credentials.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse, type OperationEndpoint } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { opens } from './authorize.ts'
import { pageParameters, samplePagination } from './list.ts'
import { personRoles, sampleSession, serveSessions, SessionPage } from './people.ts'
import { operated } from './serve.ts'

const Me = component(
  'Me',
  described(
    v.strictObject({
      kind: described(v.picklist(['key', 'person']), 'Whether a key asks, or a person who signed in.'),
      email: described(v.nullable(v.string()), 'The address of the person; null: a key asks.'),
      name: described(
        v.nullable(v.string()),
        'What the person is called, or whom the operator key was issued to; null: nothing is known.',
      ),
      keyId: described(v.nullable(v.string()), 'The key; null: a person asks.'),
      role: described(
        v.nullable(v.picklist(operatorRoles)),
        'The role in the whole service; null: only organizations are open.',
      ),
      organizations: described(
        v.array(
          v.strictObject({
            organizationId: v.string(),
            name: described(
              v.nullable(v.string()),
              'What the organization is called; null: it is not reached.',
            ),
            role: described(
              v.picklist([...personRoles, 'key']),
              'The role there; `key`: it is the key of this organization, which reads it by the public interface.',
            ),
          }),
        ),
        'Those with a role of their own, by their identifier. A role in the whole service opens all of them.',
      ),
      may: described(
        v.record(v.string(), v.array(v.string())),
        'For each of the roles that are named above: the operations of this interface that it opens.',
      ),
    }),
    'Who asks, and what they may do.',
  ),
)

/** Makes the operation that says who one is. @param listed all operations of the interface */
export function meOperation(listed: () => readonly OperationEndpoint[]) {
  return operated({
    id: 'me.get',
    method: 'GET',
    path: '/operator/v1/me',
    access: 'signed_in',
    tag: 'People',
    summary: 'See who one is, and what one may do',
    responses: {
      200: jsonResponse('Who asks.', Me, {
        kind: 'person',
        email: 'ada@lakeside.example',
        name: 'Ada',
        keyId: null,
        role: null,
        organizations: [{ organizationId: 'lakeside', name: 'Lakeside Car Wash', role: 'owner' }],
        may: { owner: ['submissions.list'] },
      }),
      400: 'BadRequest',
    },
    answer: async (_request, world, operator) => {
      const theirs = operator.roles.flatMap(({ organizationId, role }) =>
        organizationId === null ? [] : [{ organizationId, role }],
      )
      const isTenantKey = operator.keyId !== null && operator.organizations !== null
      const own = isTenantKey
        ? operator.organizations.map((id) => ({ organizationId: id, role: 'key' as const }))
        : theirs
      const organizations = await Promise.all(
        own.map(async (one) => ({
          ...one,
          name: (await world.administration.findOrganization(one.organizationId))?.name ?? null,
        })),
      )
      const ofService = operator.organizations === null ? operator.role : null
      const roles = [...(ofService === null ? [] : [ofService]), ...theirs.map(({ role }) => role)]
      const may = Object.fromEntries(
        personRoles
          .filter((role) => roles.includes(role))
          .map((role) => [
            role,
            listed().flatMap((operation) => (isOpen(role, operation) ? [operation.id] : [])),
          ]),
      )
      return jsonReply(
        200,
        {
          kind: operator.person === null ? ('key' as const) : ('person' as const),
          email: operator.person === null ? null : operator.name,
          name:
            operator.person === null
              ? operator.name
              : (operator.roles.find(({ name }) => name !== null)?.name ?? null),
          keyId: operator.keyId,
          role: ofService === 'admin' || ofService === 'support' ? ofService : null,
          organizations,
          may,
        },
        PRIVATE,
      )
    },
  })
}

/** Whether a role opens an operation at all. */
function isOpen(role: PersonRole, { access, openTo }: Pick<OperationEndpoint, 'access' | 'openTo'>): boolean {
  if (access === 'public' || access === 'tenant' || access === 'tenant_or_platform')
    return access === 'public'
  return access === 'signed_in' || opens(role, { access, openTo })
}

const SESSIONS = '/operator/v1/me/sessions'

export const listOwnSessions = operated({
  id: 'me.sessions',
  method: 'GET',
  path: SESSIONS,
  access: 'signed_in',
  tag: 'People',
  summary: 'List where one is signed in',
  description: 'The sessions of the person who asks. Whoever signed in with a key has the one.',
  query: pageParameters,
  responses: {
    200: jsonResponse('Those that work.', SessionPage, {
      data: [{ ...sampleSession, isThis: true }],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
  },
  answer: async ({ operation, query }, world, { person, session }) => {
    const ofKey = session === null ? [] : [session]
    const sessions = person === null ? ofKey : await world.people.sessionsOf(person, sessionTimes(world))
    return serveSessions(operation.id, query, sessions, session?.sessionId ?? null, world)
  },
})

export const endOwnSession = operated({
  id: 'me.endSession',
  method: 'DELETE',
  path: `${SESSIONS}/{sessionId}`,
  access: 'signed_in',
  tag: 'People',
  summary: 'End a session of one’s own',
  responses: { 204: { description: 'It has ended.' }, 400: 'BadRequest', 404: 'NotFound' },
  answer: async ({ params: { sessionId = '' } }, world, { person }) => {
    const ended = person === null ? 0 : await world.people.endSessionsOf(person, sessionId)
    return ended === 0
      ? errorReply(404, 'You have no such session.')
      : ({ status: 204, headers: PRIVATE, body: null } as const)
  },
})

export const endOwnSessions = operated({
  id: 'me.endSessions',
  method: 'DELETE',
  path: SESSIONS,
  access: 'signed_in',
  tag: 'People',
  summary: 'Sign out everywhere',
  description:
    'Ends all sessions of the person who asks, this one too. Whoever signed in with a key ends the one.',
  responses: { 204: { description: 'They have ended.' }, 400: 'BadRequest' },
  answer: async (routed, world, { person, session }) => {
    if (person !== null) await world.people.endSessionsOf(person, null)
    else if (session !== null) await endSession(routed, world)
    return { status: 204, headers: PRIVATE, body: null } as const
  },
})
