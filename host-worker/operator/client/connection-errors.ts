import { Unavailable } from './errors.ts'

/** The meanings of the error codes of a failed connection, each as the end of a sentence. */
const meanings: readonly (readonly [codes: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'there is no such host, or the name server does not answer'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'the network does not reach it'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ALTNAME/, 'its certificate is not trusted'],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'it does not speak TLS there'],
  [/TIMEOUT|^ETIMEDOUT$/, 'it did not answer in time'],
  [/^HPE/, 'it does not speak HTTP there'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection broke'],
]

/** The error for a service that could not be reached. */
export function unreachable(url: string, error: unknown): Unavailable {
  const code = codeOf(error)
  const meaning = meanings.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed'
  const shown = code === '' ? '' : ` (${code})`
  return new Unavailable(`Cannot reach the service at ${url}: ${meaning}${shown}.`, { cause: error })
}

/** The code of an error, or of its cause: network errors are the cause of the error that is thrown. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.name === 'TimeoutError') return 'ETIMEDOUT'
  if (error.name === 'HTTPParserError') return 'HPE'
  if ('code' in error && typeof error.code === 'string') return error.code
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause
  return codeOf(inner)
}
