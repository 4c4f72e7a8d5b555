import * as v from 'valibot'
import type { AuditAction, Access, Described, OrganizationRole, Scope } from './description.ts'
import type { OperatorCommand } from './command.ts'
import { described } from './meaning.ts'
import type { Capability, EmptyReply, ErrorBody, JsonReply, TextReply, RoutedRequest } from './reply.ts'

/** A header that a request may carry. */
export interface RequestHeader {
  readonly description: string
  readonly schema: v.GenericSchema
  readonly example: string
}

/** A header that a response carries. */
export interface ResponseHeader {
  readonly description: string
  readonly schema: v.GenericSchema
  /** Given when some of the responses do without it. */
  readonly isOptional?: true
}

/** A body in one media type. */
export interface Media<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly schema: Schema
  /** An example. Without one, the contract document derives an example from the schema. */
  readonly example?: v.InferOutput<Schema>
}

/** The body of an operation's request: its schema, and the bounds that the code enforces when it reads the body. */
export interface RequestBody<Schema extends v.GenericSchema = v.GenericSchema> {
  readonly description: string
  readonly maxBytes: number
  readonly contentTypes: readonly string[]
  readonly schema: Schema
  /**
   * The values of keys that the schema does not name, for the contract document: those whose name fits the pattern.
   * Written as `additionalProperties` they would have to fit the named keys too, in the one class that generators of
   * clients make of both, and an optional key does not: such code does not compile.
   */
  readonly otherKeys?: { readonly pattern: string; readonly schema: v.GenericSchema }
  /** An example of the body as it is sent, before the schema transforms it. */
  readonly example: v.InferInput<Schema>
}

/** A response of an operation with one status. Without content it has no body. */
export interface ResponseDeclaration {
  readonly description: string
  readonly headers?: Readonly<Record<string, ResponseHeader>>
  /** By media type. */
  readonly content?: Readonly<Record<string, Media>>
}

/** The responses that mean the same at every endpoint; the contract document describes each of them once. */
export type SharedResponse =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'Conflict'
  | 'TooManyRequests'
  | 'InternalError'
  | 'SourceUnavailable'

/** Responses by status. */
export type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration | SharedResponse>>

/** Where an operation is, which routing needs. */
export interface Address<Id extends string = string> {
  readonly id: Id
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  readonly path: string
}

/** An endpoint that is not a read derived from a record: it has a handler, whose type follows from its record. */
export interface OperationEndpoint<
  Id extends string = string,
  Allowed extends Access = Access,
  Query extends QueryParameters = QueryParameters,
  Responses extends ResponseDeclarations = ResponseDeclarations,
  Body extends RequestBody | null = RequestBody | null,
>
  extends Address<Id>, OperationRecord<Allowed, Query, Responses, Body> {
  readonly kind: 'operation'
}

/** All of an operation but where it is. */
export interface OperationRecord<
  Allowed extends Access = Access,
  Query extends QueryParameters = QueryParameters,
  Responses extends ResponseDeclarations = ResponseDeclarations,
  Body extends RequestBody | null = RequestBody | null,
> extends Described {
  /** Who may call the operation. Checked before the handler is called, which receives the admitted caller. */
  readonly access: Allowed
  /**
   * The least role in an organization for which the operation is open to people who sign in, besides operators. Only for
   * the operator interface. Null: to none.
   */
  readonly openTo: OrganizationRole | null
  /** The scope that a key must have. Null: the operation needs no key. */
  readonly scope: Scope | null
  /** The capability that an organization must have to use the operation; null: none. */
  readonly requires: Capability | null
  /**
   * The query parameters; null: there are none. They are read before the handler is called, which receives their
   * values.
   */
  readonly query: Query | null
  /** The request headers that the operation uses, besides those of authentication and of the body. */
  readonly headers: Readonly<Record<string, RequestHeader>>
  /**
   * The body; null: there is none. In the public interface the handler reads it, because the allowed body can depend on
   * the caller. In the operator interface the handler receives it.
   */
  readonly body: Body
  /**
   * The name of the operation's change in the audit, such as `key.revoke`. Only for the operator interface. Null: the
   * operation changes nothing.
   */
  readonly action: AuditAction | null
  /** Whether it shows or changes a state that is read, changed and written back; null: it does not. */
  readonly versioned: Versioned | null
  /** The commands of the operators' command line that call it. Only for the operator interface. */
  readonly commands: readonly OperatorCommand<OperationEndpoint>[]
  /** The responses of the handler. Refusals by the access check, and internal failures, need no declaration. */
  readonly responses: Responses
}

/**
 * The word of an operation on a state that is read, changed and written back, such as a form. The operation that shows
 * it answers with an `ETag`. An operation that changes it takes `If-Match`, answers with the new `ETag`, or with 412
 * and the state as it is when somebody else was faster (RFC 9110, sections 8.8.3 and 13.1). Headers, responses and their
 * descriptions follow from this word.
 */
export type Versioned = VersionedState | VersionedChange

/** Of the operation that shows the state. */
interface VersionedState {
  /** Keys of its answer that are no part of the state, because they change without anybody changing it. */
  readonly except: readonly string[]
}

/** Of an operation that changes the state. */
interface VersionedChange {
  /** The operation that shows it. */
  readonly of: OperationEndpoint
  /** Given when it makes what is not there yet. It then takes `If-None-Match: *` too. */
  readonly mayCreate?: true
  /** Given when one request may change several. Without a condition, and with no `ETag` in the answer. */
  readonly mayBeSeveral?: true
}

/** The body of a 412: why, and the state as it is now. */
export interface Overtaken<Body> {
  readonly error: string
  /** As the operation that shows it answers; null: there is none. */
  readonly current: Body | null
}

/** The body of the answer of an operation that shows a state. */
type ShownBy<Shown extends OperationEndpoint> = Shown['responses'] extends {
  readonly 200: { readonly content: { readonly 'application/json': Media<infer Schema> } }
}
  ? v.InferOutput<Schema>
  : never

/** The responses of an operation that follow from its word. */
export type VersionedResponses<Version extends Versioned | null> = Version extends {
  readonly of: infer Shown extends OperationEndpoint
}
  ? {
      readonly 412: {
        readonly description: string
        readonly content: {
          readonly 'application/json': Media<v.GenericSchema<Overtaken<ShownBy<Shown>>>>
        }
      }
    }
  : unknown

/** What the declaration of an operation says, besides where it is. */
export type RecordDeclaration<
  Allowed extends Access,
  Query extends QueryParameters,
  Responses extends ResponseDeclarations,
  Body extends RequestBody | null,
  Version extends Versioned | null = null,
> = Described &
  ScopeDeclaration<Allowed> & {
    readonly access: Allowed
    readonly openTo?: OrganizationRole
    readonly requires?: Capability
    readonly query?: Query
    readonly headers?: Readonly<Record<string, RequestHeader>>
    readonly body?: Body
    readonly action?: AuditAction
    readonly versioned?: Version
    readonly commands?: readonly OperatorCommand<OperationEndpoint, AnswerIn<Responses>>[]
    readonly responses: Responses
  }

/** An operation that needs the key of a tenant or of the platform must declare a scope. */
type ScopeDeclaration<Allowed extends Access> = Allowed extends 'tenant' | 'tenant_or_platform'
  ? { readonly scope: Scope }
  : { readonly scope?: never }

/** The body of a successful answer; null: it has none. */
type AnswerIn<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202 | 204)]: Responses[Status] extends {
    readonly content: { readonly 'application/json': Media<infer Schema> }
  }
    ? v.InferOutput<Schema>
    : null
}[keyof Responses & (200 | 201 | 202 | 204)]

/** Declares an operation. */
export function operation<
  const Id extends string,
  const Allowed extends Access,
  Responses extends ResponseDeclarations,
  Query extends QueryParameters = NoParameters,
  Body extends RequestBody | null = null,
  Version extends Versioned | null = null,
>(
  declaration: Address<Id> & RecordDeclaration<Allowed, Query, Responses, Body, Version>,
): OperationEndpoint<Id, Allowed, Query, Responses & VersionedResponses<Version>, Body> {
  const { id, method, path } = declaration
  return { kind: 'operation', ...operationRecord(declaration), id, method, path }
}

/** Declares an operation without its address, which stands where the operation is listed. */
export function operationRecord<
  const Allowed extends Access,
  Responses extends ResponseDeclarations,
  Query extends QueryParameters = NoParameters,
  Body extends RequestBody | null = null,
  Version extends Versioned | null = null,
>(
  declaration: RecordDeclaration<Allowed, Query, Responses, Body, Version>,
): OperationRecord<Allowed, Query, Responses & VersionedResponses<Version>, Body> {
  const { body, headers = {}, responses, versioned = null, ...declared } = declaration
  return {
    openTo: null,
    scope: null,
    requires: null,
    query: null,
    action: null,
    commands: [],
    ...declared,
    versioned,
    headers: { ...headers, ...versionedHeaders(versioned) },
    responses: versionedResponses(responses, versioned) as Responses & VersionedResponses<Version>,
    // Without a body the property is null. The compiler cannot infer that for a property that may be absent.
    body: (body ?? null) as Body,
  }
}

/** An operation whose record is loaded by the first request for it. */
export interface ListedOperation<
  Id extends string = string,
  Record extends OperationRecord = OperationRecord,
> extends Address<Id> {
  readonly load: () => Promise<{ readonly record: Record }>
}

/** The whole endpoint of a listed operation. */
export type EndpointOf<Listed extends ListedOperation> =
  Listed extends ListedOperation<
    infer Id,
    OperationRecord<infer Allowed, infer Query, infer Responses, infer Body>
  >
    ? OperationEndpoint<Id, Allowed, Query, Responses, Body>
    : never

const EXAMPLE = '"4Xc9mB7tQ2vN8kLwR1yZpA"'

/** The request headers that an operation takes by its word. */
function versionedHeaders(versioned: Versioned | null): Readonly<Record<string, RequestHeader>> {
  if (versioned === null || 'except' in versioned) return {}
  const alone = versioned.mayBeSeveral === true ? ' Only with one of them, because each has its own.' : ''
  const ifMatch = {
    description: `ETags, or \`*\` for any: nothing is changed unless the state has one of them. Weak ones match nothing.${alone}`,
    schema: v.string(),
    example: EXAMPLE,
  }
  if (versioned.mayCreate !== true) return { 'If-Match': ifMatch }
  const ifNoneMatch = {
    description: `\`*\`: nothing is changed if it is there already.${alone}`,
    schema: v.literal('*'),
    example: '*',
  }
  return { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch }
}

/** The responses of an operation, with what follows from its word. */
function versionedResponses(
  declared: ResponseDeclarations,
  versioned: Versioned | null,
): ResponseDeclarations {
  if (versioned === null) return declared
  if ('except' in versioned) {
    const { except } = versioned
    const apart = except.length === 0 ? '' : ` Not with ${except.map((key) => `\`${key}\``).join(' or ')}.`
    return withEtag(declared, { description: `Changes with the state.${apart} For \`If-Match\`.` })
  }
  const { of, mayBeSeveral } = versioned
  const description = `The \`ETag\` that \`${of.id}\` has after this change.`
  return {
    ...withEtag(
      declared,
      mayBeSeveral === true
        ? { description: `${description} Not in an answer about several.`, isOptional: true }
        : { description },
    ),
    412: overtakenResponse(of),
  }
}

function withEtag(
  declared: ResponseDeclarations,
  etag: { readonly description: string; readonly isOptional?: true },
): ResponseDeclarations {
  const headers = { ETag: { ...etag, schema: v.string() } }
  return Object.fromEntries(
    Object.entries(declared).map(([status, response]) => [
      status,
      typeof response === 'string' || Number(status) >= 300
        ? response
        : { ...response, headers: { ...response.headers, ...headers } },
    ]),
  )
}

function overtakenResponse(of: OperationEndpoint): ResponseDeclarations[number] {
  const shown = of.responses[200]
  const media = typeof shown === 'object' ? shown.content?.['application/json'] : undefined
  if (media === undefined) throw new Error(`${of.id} shows no state`)
  return {
    description: 'Nothing was changed, because the state is not as the request says. `current` is the state.',
    headers: {
      ETag: {
        description: 'Of `current`; left out when there is none.',
        schema: v.string(),
        isOptional: true,
      },
    },
    content: {
      'application/json': {
        schema: v.strictObject({
          error: v.string(),
          current: described(v.nullable(media.schema), 'The state as it is now; null: there is none.'),
        }),
        example: {
          error: 'Somebody else changed this after you read it, so nothing was changed. See current.',
          current: media.example,
        },
      },
    },
  }
}

/** A response with a JSON body of this schema and no other media type. */
export function jsonResponse<Schema extends v.GenericSchema>(
  description: string,
  schema: Schema,
  example: v.InferOutput<Schema>,
) {
  return { description, content: { 'application/json': { schema, example } } }
}

/** A request as a handler receives it: the declared query parameters are read. */
export interface OperationRequest<Query extends QueryParameters> extends RoutedRequest {
  readonly query: QueryValues<Query>
}

/** The request that the handler of an operation receives. */
export type RequestOf<Operation extends OperationRecord> = OperationRequest<NonNullable<Operation['query']>>

/** The replies that the handler of an operation may return. */
export type ReplyOf<Operation extends OperationRecord> = ReplyTo<Operation['responses']>

/**
 * The answers that the declared responses allow. A body with an extra property compiles, as everywhere in TypeScript;
 * contract tests refuse it.
 */
export type ReplyTo<Responses extends ResponseDeclarations> = {
  readonly [Status in keyof Responses & number]: ReplyWith<Status, Responses[Status]>
}[keyof Responses & number]

type ReplyWith<Status extends number, Response> = Response extends SharedResponse
  ? JsonReply<Status, ErrorBody>
  : Response extends { readonly content: infer Content }
    ? ReplyIn<Status, Content, keyof Content>
    : EmptyReply<Status>

type ReplyIn<Status extends number, Content, Type extends keyof Content> = Type extends 'application/json'
  ? Content[Type] extends Media<infer Schema>
    ? JsonReply<Status, v.InferOutput<Schema>>
    : never
  : TextReply<Status>

/** The value read from the texts of one parameter, or a whole sentence that refuses them. */
export type ParameterReading<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'refused'; readonly error: string }

/** One query parameter of an operation: its description in the contract document, and how it is read. */
export interface QueryParameter<Value = unknown> {
  readonly description: string
  /** The values that a caller should send. Reading may accept more; the description then says so. */
  readonly schema: v.GenericSchema
  /** An example. Absent: the glossary or the schema has one. */
  readonly example?: string
  /**
   * @param given all texts that the request has for the parameter: none, one or several
   * @param name the parameter's, for the sentence that refuses them
   */
  readonly read: (given: readonly string[], name: string) => ParameterReading<Value>
}

/** The query parameters of an operation by name, in the order of the contract document. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** An operation without query parameters. Parameters of a request are ignored. */
export type NoParameters = Readonly<Record<string, never>>

/** The values that a handler receives, by the names of their parameters. */
type QueryValues<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends QueryParameter<infer Value> ? Value : never
}

/**
 * Reads the declared parameters of a request, in their order. Returns the problem of the first one that is refused.
 * @param declared null: there are none
 */
export function readQuery<Parameters extends QueryParameters>(
  declared: Parameters | null,
  query: URLSearchParams,
): ParameterReading<QueryValues<Parameters>> {
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(declared ?? {})) {
    const reading = read(query.getAll(name), name)
    if (reading.kind === 'refused') return reading
    values[name] = reading.value
  }
  // Each name gets the value of its own reader, which the compiler cannot see in a loop over names.
  return { kind: 'value', value: values as QueryValues<Parameters> }
}

/** The inputs of a call of an operation, as its record declares them. */
export interface CallOf<Operation extends OperationEndpoint> {
  /** The parameters in the operation's path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Partial<Record<QueryNames<Operation>, string | number>>>
  readonly body?: BodyOf<Operation>
}

/** The body of a successful response of an operation, as its record declares it; null: it has none. */
export type AnswerTo<Operation extends OperationEndpoint> =
  Operation extends OperationEndpoint<
    string,
    Access,
    QueryParameters,
    infer Responses extends ResponseDeclarations
  >
    ? AnswerIn<Responses>
    : never

type QueryNames<Operation> =
  Operation extends OperationEndpoint<string, Access, infer Query extends QueryParameters>
    ? keyof Query & string
    : never

type BodyOf<Operation> = Operation extends { readonly body: RequestBody<infer Schema> }
  ? v.InferInput<Schema>
  : never
