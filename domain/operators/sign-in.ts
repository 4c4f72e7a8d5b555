import * as v from 'valibot'
import type { Session, SignedIn, PersonRole } from '../../ports/operators.ts'
import { readKey, readOperatorKey } from '../access/keys.ts'
import {
  MEMBER_READS,
  operatorRoles,
  browserName,
  cookieHeader,
  drawSecret,
  endSession,
  LIFE_MS,
  readCookie,
  refuseForeign,
} from '../access/operator-credentials.ts'
import { isPrivate } from '../text/http.ts'
import { keyedHashes } from '../access/secrets.ts'
import { platformMailbox } from '../messaging/sender.ts'
import { described, component } from '../record/meaning.ts'
import { jsonResponse, type OperationEndpoint } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE, unauthorized, type RoutedRequest } from '../record/reply.ts'
import { networkOf } from '../spam/judge.ts'
import { emailKey, readEmailAddress } from '../text/typed-text.ts'
import { randomBase62, toBase64Url, utf8 } from '../text/encoding.ts'
import { html } from '../text/html.ts'
import { toInstant } from '../text/instant.ts'
import { jsonBody, operated, opens } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { personRoles } from './people.ts'

// Signing in: a link that is sent to a person's address, or a key. Either way the browser gets a session, in a cookie.

/** For how long a link works, and how many are sent in an hour. */
const LINK_MS = 15 * 60_000
const HOUR_MS = 3_600_000
const LINKS_PER_PERSON = 5
const LINKS_PER_NETWORK = 60

const EMAIL_MAX_LENGTH = 254

export const waysToSignIn = operated({
  id: 'signIn.ways',
  method: 'GET',
  path: '/console/sign-in/ways',
  access: 'public',
  tag: 'People',
  summary: 'See how one can sign in',
  responses: {
    200: jsonResponse(
      'The ways.',
      v.strictObject({
        email: described(
          v.boolean(),
          'Whether a link can be sent to the address of a person. Keys always work.',
        ),
      }),
      { email: true },
    ),
  },
  answer: async (_routed, { email, mail }) =>
    jsonReply(200, { email: email !== null && mail !== null }, PRIVATE),
})

export const askToSignIn = operated({
  id: 'signIn.ask',
  method: 'POST',
  path: '/console/sign-in',
  access: 'public',
  tag: 'People',
  summary: 'Ask for a link to sign in',
  description: `Whoever may sign in with the address gets an email with a link that works once, within ${LINK_MS / 60_000} minutes, in the browser that asked. The answer is always the same. At most ${LINKS_PER_PERSON} links an hour are sent to an address, and ${LINKS_PER_NETWORK} to a network. Where the service sends no email, none is sent, and only keys sign in.`,
  body: jsonBody(
    v.strictObject({
      email: described(
        v.pipe(v.string('must be a string'), v.maxLength(1000, 'is too long')),
        'The address of a person.',
      ),
    }),
    { email: 'ada@lakeside.example' },
  ),
  responses: {
    202: { description: 'If somebody has this address, a link is on its way.' },
    400: 'BadRequest',
    403: 'Forbidden',
  },
  answer: async (routed, world) => {
    const { request, url, body } = routed
    const refusal = refuseForeign(routed) ?? refuseOpenly(url)
    if (refusal !== null) return refusal
    const asking = readCookie(routed, 'sign-in') ?? drawSecret(world.random)
    // Everything else is done after the answer, so that neither it nor its time tells who may sign in.
    world.background.run(sendLink(body.email, asking, { request, url }, world))
    const headers = { ...PRIVATE, ...cookieHeader('sign-in', asking, HOUR_MS, url) }
    return { status: 202, headers, body: null } as const
  },
})

/** Sends the link, if the address is that of a person and the bounds allow it. */
async function sendLink(
  given: string,
  asking: string,
  { request, url }: Pick<RoutedRequest, 'request' | 'url'>,
  world: OperatorWorld,
): Promise<void> {
  const { people, secrets, clock, random, email: sender, mail, log } = world
  const address = given.length > EMAIL_MAX_LENGTH ? null : readEmailAddress(given)
  if (address === null || sender === null || mail === null) return
  const nowMs = clock.nowMs()
  const token = drawSecret(random)
  const [hash] = await keyedHashes('session', token, secrets)
  const [browserHash] = await keyedHashes('session', asking, secrets)
  const network = await hashOfNetwork(request, world)
  const to = await people.addLink(
    { hash, person: emailKey(address), browserHash, network, createdAt: toInstant(nowMs) },
    {
      since: toInstant(nowMs - HOUR_MS),
      perPerson: LINKS_PER_PERSON,
      perNetwork: LINKS_PER_NETWORK,
      keptSince: toInstant(nowMs - 24 * HOUR_MS),
    },
  )
  if (to === null) return
  const link = `${url.origin}/console/sign-in#${token}`
  const from = platformMailbox(mail)
  const message = { ...signInEmail(link, mail.brand, url), from, to }
  const sent = await sender.send(message, `sign-in-${hash}`, null)
  if (sent.kind !== 'accepted') log.error('sign_in_link_not_sent', { reason: sent.reason }, sent.cause)
}

function signInEmail(link: string, brand: string, { host }: URL) {
  const minutes = LINK_MS / 60_000
  const unasked = 'If you did not ask for it, ignore this email: nobody gets in without opening the link.'
  return {
    subject: `Sign in to ${brand}`,
    html: html`<!doctype html>
      <html lang="en">
        <body style="font-family:sans-serif;max-width:600px">
          <h1 style="font-size:18px">Sign in to ${brand}</h1>
          <p>
            <a
              href="${link}"
              style="display:inline-block;padding:12px 20px;border-radius:6px;background:#14532d;color:#fff;text-decoration:none"
              >Sign in at ${host}</a
            >
          </p>
          <p>
            The link works once, for ${minutes} minutes, in the browser in which you asked for it. ${unasked}
          </p>
        </body>
      </html> `.markup,
    text: [
      `Sign in to ${brand}: ${link}`,
      `The link works once, for ${minutes} minutes, in the browser in which you asked for it. ${unasked}`,
    ].join('\n\n'),
    replyTo: null,
    attachments: [],
    isAutomatic: true,
  }
}

/** A keyed hash of the network that a request came from. Null: it is not known, or is this machine. */
async function hashOfNetwork(
  { headers }: Request,
  { secrets: { current } }: Pick<OperatorWorld, 'secrets'>,
): Promise<string | null> {
  const network = networkOf(headers.get('cf-connecting-ip'))
  return network === null
    ? null
    : toBase64Url((await current.mac('network', utf8(network))).slice(0, NETWORK_BYTES))
}

const NETWORK_BYTES = 16

const SESSION_ID_LENGTH = 16

const Credentials = v.union(
  [
    v.strictObject({ token: described(v.string(), 'What the link of the email carries, after `#`.') }),
    v.strictObject({ key: described(v.string(), 'An operator key, or the key of an organization.') }),
  ],
  'must have either token or key',
)

export const openSession = operated({
  id: 'session.open',
  method: 'POST',
  path: '/console/session',
  access: 'public',
  tag: 'People',
  summary: 'Sign in',
  description:
    'With the token of a link that was sent to the address of a person, or with a key. The answer sets a cookie that stands for the session: 12 hours after its last use it ends, after 30 days at most, and with the key that opened it. The key itself is kept nowhere.',
  body: jsonBody(Credentials, { token: '4Xc9mB7tQ2vN8kLwR1yZpA4Xc9mB7tQ2vN8kLwR1yZp' }),
  responses: {
    204: { description: 'You are signed in.' },
    400: 'BadRequest',
    401: 'Unauthorized',
    403: 'Forbidden',
    409: jsonResponse(
      'The link was asked for in another browser. It stays usable there.',
      v.strictObject({ error: v.string() }),
      {
        error:
          'This link works in the browser that asked for it. Open it there, or ask for another one here.',
      },
    ),
  },
  answer: async (routed, world) => {
    const { url, body } = routed
    const refusal = refuseForeign(routed) ?? refuseOpenly(url)
    if (refusal !== null) return refusal
    const secret = drawSecret(world.random)
    const [hash] = await keyedHashes('session', secret, world.secrets)
    const opened =
      'token' in body
        ? await openByLink(body.token, newSession(routed, world), hash, routed, world)
        : await openByKey(body.key, newSession(routed, world), hash, world)
    if (opened !== null) return opened
    const headers = { ...PRIVATE, ...cookieHeader('session', secret, LIFE_MS, url) }
    return { status: 204, headers, body: null } as const
  },
})

function newSession({ request }: RoutedRequest, { clock, random }: OperatorWorld): Session {
  const nowMs = clock.nowMs()
  const now = toInstant(nowMs)
  return {
    sessionId: `ses_${randomBase62(SESSION_ID_LENGTH, (length) => random.bytes(length))}`,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: toInstant(nowMs + LIFE_MS),
    browser: browserName(request.headers.get('user-agent')),
  }
}

/** Opens a session with a link. Null: it is open. */
async function openByLink(
  token: string,
  session: Session,
  sessionHash: string,
  routed: RoutedRequest,
  { people, secrets, clock }: OperatorWorld,
) {
  const asking = readCookie(routed, 'sign-in') ?? ''
  // A link that was sent under the previous root secret goes on working, like everything of that.
  const [hashes, browserHashes] = [
    await keyedHashes('session', token, secrets),
    await keyedHashes('session', asking, secrets),
  ]
  const since = toInstant(clock.nowMs() - LINK_MS)
  const outcomes = await Promise.all(
    hashes.map((hash, index) =>
      people.useLink({ hash, browserHash: browserHashes[index] ?? '', since }, session, sessionHash),
    ),
  )
  if (outcomes.includes('opened')) return null
  return outcomes.includes('elsewhere')
    ? errorReply(
        409,
        'This link works in the browser that asked for it. Open it there, or ask for another one here.',
      )
    : errorReply(401, 'This link does not work any more: it works once, for 15 minutes. Ask for another one.')
}

/** Opens a session with a key. Null: it is open. */
async function openByKey(key: string, session: Session, hash: string, world: OperatorWorld) {
  const by = await provenKey(key.trim(), world)
  if (by === null) return unauthorized(null)
  const { expiresAt } = by
  const ends = expiresAt !== null && expiresAt < session.expiresAt ? expiresAt : session.expiresAt
  await world.people.openSession({ ...session, expiresAt: ends, by: by.signedIn }, hash)
  return null
}

async function provenKey(
  text: string,
  { storage, operatorKeys, secrets }: OperatorWorld,
): Promise<{ readonly signedIn: SignedIn; readonly expiresAt: string | null } | null> {
  const operatorKey = readOperatorKey(text)
  if (operatorKey !== null) {
    const claim = { keyId: operatorKey.keyId, hashes: await keyedHashes('api-key', text, secrets) }
    const stored = await operatorKeys.prove(claim)
    return stored === null ? null : { signedIn: { kind: 'operatorKey', claim }, expiresAt: stored.expiresAt }
  }
  const key = readKey(text)
  if (key?.organizationId == null) return null
  const { keyId, organizationId } = key
  const claim = { organizationId, keyId, hashes: await keyedHashes('api-key', text, secrets) }
  // The end of such a key is asked for at each request anew, together with the key.
  const found = await storage.open(claim).read([])
  return found.authenticated ? { signedIn: { kind: 'tenantKey', claim }, expiresAt: null } : null
}

export const closeSession = operated({
  id: 'session.close',
  method: 'DELETE',
  path: '/console/session',
  access: 'public',
  tag: 'People',
  summary: 'Sign out',
  description: 'Ends the session of this browser. Without one, nothing changes.',
  responses: { 204: { description: 'You are signed out.' }, 403: 'Forbidden' },
  answer: async (routed, world) => {
    const refusal = refuseForeign(routed)
    if (refusal !== null) return refusal
    await endSession(routed, world)
    const headers = { ...PRIVATE, ...cookieHeader('session', null, 0, routed.url) }
    return { status: 204, headers, body: null } as const
  },
})

const OVER_HTTP = 'Nobody signs in over plain http, where others can read along. Use https.'

function refuseOpenly(url: URL) {
  return isPrivate(url) ? null : errorReply(403, OVER_HTTP)
}

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
      reads: described(
        v.record(v.string(), v.array(v.string())),
        'For each of these roles that does not read all of an organization: at which addresses after `/api/v1/` it reads. One that ends with `/` stands for all that are below.',
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
        reads: {},
      }),
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
          reads: roles.includes('member') ? { member: [...MEMBER_READS] } : {},
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
