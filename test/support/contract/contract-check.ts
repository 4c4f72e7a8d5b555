import { record } from './contract-seen.ts'
import {
  operationsAt,
  schemaProblems,
  type DocumentedOperation,
  type DocumentedResponse,
} from './contract-document.ts'

/** A request and the service's answer. */
export interface Exchange {
  readonly method: string
  readonly pathname: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const errorBody = { $ref: 'contract#/components/schemas/Error' }
const submissionErrorBody = { $ref: 'contract#/components/schemas/SubmissionError' }
const json = (schema: object): DocumentedResponse => ({
  content: { 'application/json': { schema: { ...schema } } },
})

/** The responses that the document describes for every path. */
const general: Readonly<Record<number, DocumentedResponse>> = { 405: json(errorBody), 503: json(errorBody) }
const noSuchPath = json(errorBody)

const requiredHeader = (pattern: string) => ({ schema: { type: 'string', pattern }, required: true })

/** The headers that every answer to a key with a rate has. */
const rateHeaders = {
  RateLimit: requiredHeader('^"minute";r=[0-9]+;t=[1-9][0-9]?$'),
  'RateLimit-Policy': requiredHeader('^"minute";q=[1-9][0-9]*;w=60$'),
}

/**
 * Checks an answer of the service, successful or not, against the contract document, and records its operation and
 * status. Throws when they differ.
 */
export function checkResponse(
  { method, url }: Pick<Request, 'method' | 'url'>,
  { status, headers }: Response,
  body: string,
): void {
  const exchange: Exchange = { method, pathname: new URL(url).pathname, status, headers, body }
  const problems = problemsOf(exchange)
  if (problems.length === 0) return
  const shown = exchange.body.slice(0, 500)
  throw new Error(
    `${method} ${exchange.pathname} answered ${exchange.status}, which the contract document does not describe:\n` +
      `${problems.join('\n')}\n${shown}`,
  )
}

/** How an answer differs from the document; `[]`: it does not. */
export function problemsOf(exchange: Exchange): readonly string[] {
  const { method, pathname, status, headers } = exchange
  const traced = /^req_\w+$/.test(headers.get('x-request-id') ?? '') ? [] : ['It has no X-Request-Id.']
  // A deployment without its configuration answers 503 before anything else.
  if (status === 503) return bodyProblems(exchange, json(errorBody))
  const ofPath = operationsAt(pathname)
  if (ofPath.length === 0) return [...traced, ...pathlessProblems(exchange)]
  const operation = ofPath.find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method))
  if (operation === undefined) return [...traced, ...wrongMethodProblems(exchange, ofPath)]
  const response = operation.responses[status]
  if (response === undefined)
    return [
      `${operation.operationId} documents no ${status}: ${Object.keys(operation.responses).join(', ')}.`,
    ]
  if (method !== 'HEAD') record(operation.operationId, status)
  return [
    ...traced,
    ...rateProblems(operation, headers),
    ...headerProblems(headers, response),
    ...bodyProblems(exchange, response),
  ]
}

function pathlessProblems(exchange: Exchange): readonly string[] {
  if (exchange.status !== 404) return ['The document has no such path.']
  const isSubmission = /^\/api\/forms\/.*\/submissions\/*$/.test(exchange.pathname)
  return bodyProblems(exchange, isSubmission ? json(submissionErrorBody) : noSuchPath)
}

/**
 * Checks the answer to a method that the path does not have: 405 with `Allow`, or a failure that any of its methods
 * has.
 */
function wrongMethodProblems(exchange: Exchange, ofPath: readonly DocumentedOperation[]): readonly string[] {
  const { status, headers } = exchange
  const shared = ofPath.map(({ responses }) => responses[status]).find((response) => response !== undefined)
  if (status !== 405)
    return shared === undefined || status < 400
      ? [`The path has no method ${exchange.method}.`]
      : [...headerProblems(headers, shared), ...bodyProblems(exchange, shared)]
  const missing = headers.get('allow') === null ? ['It has no Allow.'] : []
  const notFound = ofPath.map(({ responses }) => responses[404]).find((response) => response !== undefined)
  return [...missing, ...bodyProblems(exchange, notFound ?? general[405] ?? {})]
}

/** Checks that an answer to a key with a rate has both headers, and an answer without a key has neither. */
function rateProblems({ isKeyed }: DocumentedOperation, headers: Headers): readonly string[] {
  const isRated = headers.has('ratelimit') || headers.has('ratelimit-policy')
  if (isRated && !isKeyed) return ['It has a rate, and asks for no key.']
  return isRated ? headerProblems(headers, { headers: rateHeaders }) : []
}

function headerProblems(given: Headers, { headers = {} }: DocumentedResponse): readonly string[] {
  return Object.entries(headers).flatMap(([name, { schema, required }]) => {
    const value = given.get(name)
    if (value === null) return required === true ? [`It has no ${name}.`] : []
    return schemaProblems(schema, value).map((problem) => `${name}: ${problem}`)
  })
}

function bodyProblems(
  { method, headers, body }: Exchange,
  { content }: DocumentedResponse,
): readonly string[] {
  const type = headers.get('content-type')?.split(';')[0] ?? null
  if (content === undefined) return body === '' ? [] : ['It has a body.']
  const media = type === null ? undefined : content[type]
  if (media === undefined) return [`Its content type is ${type ?? 'missing'}.`]
  if (method === 'HEAD') return body === '' ? [] : ['It answers HEAD with a body.']
  if (type !== 'application/json') return schemaProblems(media.schema, body)
  return schemaProblems(media.schema, JSON.parse(body))
}
