import type { Scope } from './description.ts'
import { component } from './meaning.ts'
import type { Organization } from '../../ports/organizations.ts'
import * as v from 'valibot'

/** The organization and the key of a request, once they are known. */
export interface Identity {
  /** The organization of the key, or of the form that was submitted; null: the platform. */
  readonly organizationId: string | null
  /** The key that was proven; null when the endpoint needs none. */
  readonly keyId: string | null
  /** The submission that the request saved or, if it failed, may have saved; left out: none. */
  readonly submissionId?: string
}

/** A request whose endpoint is known. Nothing else of it has been checked yet. */
export interface RoutedRequest {
  readonly request: Request
  readonly url: URL
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /**
   * Tells the host which organization sent the request, for its log. Called only with a verified organization.
   * @param headers headers that every reply to the request has from now on; default: none
   */
  readonly identified: (identity: Identity, headers?: Readonly<Record<string, string>>) => void
}

/** A reply as plain data. The host turns it into the platform's response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null: no body. */
  readonly body: string | null
}

/** A JSON answer that keeps the value from which its text was written, so that the compiler can check it. */
export interface JsonReply<Status extends number, Body> extends Reply {
  readonly status: Status
  readonly body: string
  readonly value: Body
}

/** A reply whose text is not JSON, such as a page. */
export interface TextReply<Status extends number> extends Reply {
  readonly status: Status
  readonly body: string
  readonly value?: undefined
}

/** A reply without a body. */
export interface EmptyReply<Status extends number> extends Reply {
  readonly status: Status
  readonly body: null
  readonly value?: undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Makes a JSON reply. */
export function jsonReply<Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): JsonReply<Status, Body> {
  return writtenReply(status, body, JSON.stringify(body), headers)
}

/** Makes a JSON reply from a text that was made before. */
export function writtenReply<Status extends number, Body>(
  status: Status,
  value: Body,
  text: string,
  headers: Readonly<Record<string, string>>,
): JsonReply<Status, Body> {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: text, value }
}

/** Makes a JSON reply that storage wrote, so that it exists only as text. */
export function jsonTextReply(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body }
}

/** The headers of replies with tenant data: only the caller may keep them, and no cache may reuse them. */
export const PRIVATE: Readonly<Record<string, string>> = { 'cache-control': 'private, no-store' }

/** The body of a failure of an authenticated route (contract, Errors). */
export const ErrorBody = component('Error', v.strictObject({ error: v.string() }))
export type ErrorBody = v.InferOutput<typeof ErrorBody>

/** A failure of an authenticated route: `{ error }`. */
export function errorReply<Status extends number>(
  status: Status,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): JsonReply<Status, ErrorBody> {
  return jsonReply(status, { error }, { ...PRIVATE, ...headers })
}

/** The scheme of the `Authorization` header. */
export const AUTH_SCHEME = 'Bearer'

/** What the reply to a call without a good key says after `Unauthorized`, by what the call needs. */
const HEADER = `. Send the header Authorization: ${AUTH_SCHEME}`
const howToCall = {
  read: `${HEADER} ck_live_…`,
  send: '',
  operate: `${HEADER} ok_live_… with an operator key that is neither revoked nor expired.`,
} as const

/**
 * The same reply to a missing, malformed, unknown, revoked or expired key, so that nobody learns which of these it is.
 * It shows the header, except for the sends, where it is the contract's one word (contract, Errors).
 * @param scope what the call needs: reading takes a tenant key. Null: an operator key
 */
export function unauthorized(scope: Scope | null): JsonReply<401, ErrorBody> {
  return keyRefused(`Unauthorized${howToCall[scope ?? 'operate']}`)
}

/** The answer to a key that may not make the call. */
export function keyRefused(error: string): JsonReply<401, ErrorBody> {
  return errorReply(401, error, { 'www-authenticate': AUTH_SCHEME })
}

/** The same reply to an id that does not exist and to one that belongs to another organization. */
export function notFound(): JsonReply<404, ErrorBody> {
  return errorReply(404, 'Not found')
}

/** The reply when the organization's provider does not report the data of the resource. */
function unavailable(): JsonReply<400, ErrorBody> {
  return errorReply(400, "This resource is unavailable for the organization's provider.")
}

/** A setting that an organization must have to use an endpoint. */
export type Capability = keyof Pick<Organization, 'billingEvents' | 'analytics' | 'retentionOfferAnalytics'>

const refusals: Readonly<Record<Capability, () => JsonReply<number, ErrorBody>>> = {
  billingEvents: unavailable,
  analytics: () => errorReply(403, 'Analytics are not available to this organization.'),
  retentionOfferAnalytics: () =>
    errorReply(403, 'Retention offer analytics are not available to this organization.'),
}

/** The reply to an organization that lacks the capability. */
export function capabilityRefused(requires: Capability): JsonReply<number, ErrorBody> {
  return refusals[requires]()
}

/** The refusal when an organization lacks the required capability; null: it has it, or none is required. */
export function refusalOf(requires: Capability | null, organization: Organization): Reply | null {
  return requires === null || organization[requires] ? null : capabilityRefused(requires)
}

/** The reply when the source of the rows did not respond, or sent a malformed response. */
export function sourceUnavailable(): JsonReply<502, ErrorBody> {
  return errorReply(502, 'A service that this resource comes from is unavailable. Try again later.')
}

/** The reply when the path does not have the method. `allow` lists the methods that it has. */
export function methodNotAllowed(allow: readonly string[]): Reply {
  return errorReply(405, 'Method not allowed', { allow: allow.join(', ') })
}

/** The reply to an internal failure: a fixed sentence, and the request id by which the log line can be found. */
export function internalError(requestId: string): JsonReply<500, ErrorBody> {
  return errorReply(500, `The request could not be processed. Request id: ${requestId}`)
}
