import { parseHeaderValue, type HeaderValue } from './header-value.ts'

/**
 * The content type that a request's header declares; null: the header is malformed. Without a header the value is
 * empty.
 */
export function contentTypeOf(headers: Headers): HeaderValue | null {
  return parseHeaderValue(headers.get('content-type') ?? '')
}

/** The content type, if it is one of the accepted types and the body is uncompressed and in UTF-8; else null. */
export function acceptedType(
  type: HeaderValue | null,
  headers: Headers,
  accepted: readonly string[],
): HeaderValue | null {
  const encodings = (headers.get('content-encoding') ?? '').split(',')
  if (encodings.some((encoding) => !['', 'identity'].includes(encoding.trim().toLowerCase()))) return null
  if (type === null || !accepted.includes(type.value)) return null
  const charset = type.parameters.get('charset')?.toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? type : null
}
