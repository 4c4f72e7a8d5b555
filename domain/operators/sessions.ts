import { jsonResponse } from '../record/operation.ts'
import { errorReply, PRIVATE, jsonReply } from '../record/reply.ts'
import { operated, count, instant } from './serve.ts'
import { pageParameters, pageResponse, pageOf, servePage, type AskedPage } from './list.ts'
import { PERSON_PATH, unknownPerson } from './people.ts'
import type { Session } from '../../ports/operators.ts'
import { mark } from '../record/command.ts'
import { described } from '../record/meaning.ts'
import { endSession, sessionTimes } from '../access/operator-credentials.ts'
import { emailKey, readEmailAddress } from '../text/typed-text.ts'
import type { OperatorWorld } from './world.ts'
import * as v from 'valibot'

const SessionBody = v.strictObject({
  sessionId: described(v.string(), 'Names the session.'),
  browser: described(v.string(), 'The browser in which it was opened.'),
  createdAt: described(instant, 'When it was opened.'),
  lastSeenAt: described(instant, 'When it was last used, to within five minutes.'),
  expiresAt: described(instant, 'When it ends, however often it is used.'),
  isThis: v.exactOptional(described(v.literal(true), 'Given for the session that asks.')),
})

const sampleSession: v.InferOutput<typeof SessionBody> = {
  sessionId: 'ses_4Xc9mB7tQ2vN8kLw',
  browser: 'Firefox on Windows',
  createdAt: '2026-03-01T14:00:00.000Z',
  lastSeenAt: '2026-03-02T09:30:00.000Z',
  expiresAt: '2026-03-31T14:00:00.000Z',
}

/** A session in its published form. */
function publishedSession(
  { sessionId, browser, createdAt, lastSeenAt, expiresAt }: Session,
  current: string | null,
): v.InferOutput<typeof SessionBody> {
  const body = { sessionId, browser, createdAt, lastSeenAt, expiresAt }
  return sessionId === current ? { ...body, isThis: true } : body
}

const SessionPage = pageOf('SessionPage', SessionBody)

/** Serves a page of sessions, the newest first. There are few, so all are read. */
function serveSessions(
  endpointId: string,
  query: AskedPage,
  sessions: readonly Session[],
  current: string | null,
  world: OperatorWorld,
) {
  return servePage(query, world, {
    scope: { endpointId, organizationId: null },
    read: async (after, limit) => {
      const start = sessions.findIndex(({ sessionId }) => sessionId === after?.id) + 1
      return sessions.slice(start, start + limit)
    },
    positionOf: ({ sessionId }) => ({ value: null, id: sessionId }),
    publish: (session) => publishedSession(session, current),
  })
}

export const endPersonSessions = operated({
  id: 'people.endSessions',
  method: 'POST',
  path: `${PERSON_PATH}/end-sessions`,
  access: 'admin',
  action: 'person.endSessions',
  tag: 'People',
  summary: 'End all sessions of a person',
  responses: {
    200: jsonResponse(
      'They are ended.',
      v.strictObject({ ended: described(count, 'How many there were.') }),
      { ended: 2 },
    ),
    404: 'NotFound',
  },
  answer: async ({ params: { email = '' }, change }) => {
    const person = emailKey(email)
    if (readEmailAddress(email) === null) return unknownPerson(email)
    const ended = await change.about(null, { type: 'person', email: person, role: null }).endSessions(person)
    return jsonReply(200, { ended }, PRIVATE)
  },
})

export const listPersonSessions = operated({
  id: 'people.sessions',
  method: 'GET',
  path: `${PERSON_PATH}/sessions`,
  access: 'support',
  tag: 'People',
  summary: 'List the sessions of a person',
  query: pageParameters,
  responses: {
    200: pageResponse('Those that work.', SessionPage, sampleSession),
  },
  commands: [
    {
      words: ['person', 'sessions'],
      positionals: ['EMAIL'],
      flags: { end: mark() },
      summary: 'List where a person is signed in, or end all of it',
      details: ['--end ends all sessions, and says how many there were.'],
      examples: ['ada@lakeside.example', 'ada@lakeside.example --end'],
      instead: {
        end: {
          operation: endPersonSessions,
          says: ({ ended }: { readonly ended: number }) => ({ notes: [`Sessions ended: ${ended}.`] }),
        },
      },
      columns: [
        { head: 'session', of: ({ sessionId }) => sessionId },
        { head: 'opened at', of: ({ createdAt }) => createdAt },
        { head: 'last used', of: ({ lastSeenAt }) => lastSeenAt },
        { head: 'ends at', of: ({ expiresAt }) => expiresAt },
        { head: 'browser', of: ({ browser }) => browser, mayBeCut: true },
      ],
    },
  ],
  answer: async ({ operation, params: { email = '' }, query }, world) => {
    const sessions = await world.people.sessionsOf(emailKey(email), sessionTimes(world))
    return serveSessions(operation.id, query, sessions, null, world)
  },
})

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
    200: pageResponse('Those that work.', SessionPage, { ...sampleSession, isThis: true }),
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
  responses: { 204: { description: 'It has ended.' }, 404: 'NotFound' },
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
  responses: { 204: { description: 'They have ended.' } },
  answer: async (routed, world, { person, session }) => {
    if (person !== null) await world.people.endSessionsOf(person, null)
    else if (session !== null) await endSession(routed, world)
    return { status: 204, headers: PRIVATE, body: null } as const
  },
})
