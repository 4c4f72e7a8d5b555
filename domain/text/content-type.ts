import type { HeaderValue } from './header-value.ts'
import { parseHeaderValue } from './header-value.ts'

/** The content type when the body is in one of those accepted, uncompressed and in UTF-8; else null. */
export function acceptedType(headers: Headers, accepted: readonly string[]): HeaderValue | null {
  const encodings = (headers.get('content-encoding') ?? '').split(',')
  if (encodings.some((encoding) => !['', 'identity'].includes(encoding.trim().toLowerCase()))) return null
  const type = parseHeaderValue(headers.get('content-type') ?? '')
  if (type === null || !accepted.includes(type.value)) return null
  const charset = type.parameters.get('charset')?.toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? type : null
}
