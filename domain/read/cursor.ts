import type { Position } from '../../ports/records.ts'
import type { Secrets, SecretVersion } from '../access/secrets.ts'
import { equalInConstantTime, fromBase64Url, toBase64Url, utf8 } from '../text/encoding.ts'

/** The request to which a cursor belongs. In any other request the cursor is refused. */
export interface CursorScope {
  readonly organizationId: string
  readonly endpointId: string
  /** Id of the parent resource of a nested collection. */
  readonly parentId: string | null
}

export interface Cursor {
  /** The name of the order in which the page was read. */
  readonly order: string
  /** The position of the last row of the previous page. */
  readonly position: Position
}

/** Why a request with a cursor of another collection, or none that was given out, is refused. */
export const FOREIGN_CURSOR = 'Parameter cursor must be a nextCursor that this collection gave.'

const MAC_BYTES = 16
const MAX_CURSOR_LENGTH = 4_000

/**
 * Makes the opaque token of a page: the position in clear text, and a MAC over position and scope. So a client can
 * neither forge nor alter it, and the service need not store it.
 */
export async function encodeCursor(cursor: Cursor, scope: CursorScope, secrets: Secrets): Promise<string> {
  const payload = utf8(JSON.stringify([cursor.order, cursor.position.value, cursor.position.id]))
  return toBase64Url(joinBytes(await macOf(payload, scope, secrets.current), payload))
}

/** The token of the page after a position; null after the last page. */
export async function nextCursorOf(
  { order, position }: { readonly order: string; readonly position: Position | null },
  scope: CursorScope,
  secrets: Secrets,
): Promise<string | null> {
  return position === null ? null : encodeCursor({ order, position }, scope, secrets)
}

/** Reads a token back; null when it was not issued for exactly this scope, or was altered. */
export async function decodeCursor(
  token: string,
  scope: CursorScope,
  secrets: Secrets,
): Promise<Cursor | null> {
  const bytes = token.length > MAX_CURSOR_LENGTH ? null : fromBase64Url(token)
  if (bytes === null || bytes.length <= MAC_BYTES) return null
  const mac = bytes.subarray(0, MAC_BYTES)
  const payload = bytes.slice(MAC_BYTES)
  for (const secret of [secrets.current, secrets.previous]) {
    if (secret !== null && equalInConstantTime(mac, await macOf(payload, scope, secret)))
      return parse(payload)
  }
  return null
}

async function macOf(
  payload: Uint8Array<ArrayBuffer>,
  scope: CursorScope,
  secret: SecretVersion,
): Promise<Uint8Array<ArrayBuffer>> {
  const context = utf8(JSON.stringify([scope.organizationId, scope.endpointId, scope.parentId]))
  // JSON text contains no NUL, so a NUL between context and payload separates them unambiguously.
  const mac = await secret.mac('cursor', joinBytes(context, Uint8Array.of(0), payload))
  return mac.slice(0, MAC_BYTES)
}

function parse(payload: Uint8Array): Cursor {
  const [order, value, id] = JSON.parse(new TextDecoder().decode(payload)) as [
    string,
    Position['value'],
    string,
  ]
  return { order, position: { value, id } }
}

function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
