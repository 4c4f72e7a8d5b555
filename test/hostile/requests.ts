import { hostileBody, type HostileBody } from './bodies.ts'
import type { HostileDraw } from './draw.ts'

/**
 * One request. Its header values are limited to what an HTTP client accepts; anything else is sent over a raw socket.
 */
export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

/** One operation of the contract document. Requests start from one, so that they get further than routing. */
export interface Target {
  readonly method: string
  readonly path: string
  /** Names of its query parameters. */
  readonly query: readonly string[]
}

/** Keys and cursors that an attacker may have obtained. */
export interface Loot {
  /** Working keys of a tenant. */
  readonly keys: readonly [string, ...string[]]
  /** Cursors that the service has issued. */
  readonly cursors: readonly [string, ...string[]]
  readonly formIds: readonly [string, ...string[]]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** A request to one of the operations: its path is routed, and other parts are wrong. */
export function hostileRequest(
  draw: HostileDraw,
  targets: readonly [Target, ...Target[]],
  loot: Loot,
): HostileRequest {
  const target = draw.pick(targets)
  const method = draw.chance(92) ? target.method : draw.pick(METHODS)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? hostileBody(draw) : null
  return {
    method,
    path: pathOf(draw, target, loot) + queryOf(draw, target, loot),
    headers: headersOf(draw, loot, body),
    body: body?.bytes ?? null,
  }
}

function pathOf(draw: HostileDraw, { path }: Target, { formIds }: Loot): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'formId' && draw.chance(80)) return draw.pick(formIds)
    return urlText(draw)
  })
  return draw.chance(3) ? `${filled}/${urlText(draw)}` : filled
}

function queryOf(draw: HostileDraw, { query }: Target, { cursors }: Loot): string {
  const pairs = Array.from({ length: draw.below(5) }, () => {
    const [first = 'limit', ...others] = query
    const name = draw.chance(85) ? draw.pick([first, ...others]) : urlText(draw)
    if (name === 'cursor') return `cursor=${encodeURIComponent(spoilt(draw, draw.pick(cursors)))}`
    return `${name}=${draw.chance(20) ? String(draw.below(1_000) - 200) : urlText(draw)}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** A text for a request line: encoded, or raw without the characters that no client sends. */
function urlText(draw: HostileDraw): string {
  const text = draw.text().slice(0, 2_000)
  return draw.chance(80)
    ? encodeURIComponent(text.toWellFormed())
    : text.replaceAll(/[^\x21-\x7e]/g, '').replaceAll(/[?#]/g, '')
}

/** A token that is unchanged, or has one character changed, cut off or doubled. */
function spoilt(draw: HostileDraw, token: string): string {
  const at = draw.below(token.length)
  switch (draw.below(5)) {
    case 0:
      return token.slice(0, at)
    case 1:
      return token.slice(0, at) + draw.pick(['A', '-', '=', ' ', '\u0000']) + token.slice(at + 1)
    case 2:
      return token + token
    default:
      return token
  }
}

function headersOf(draw: HostileDraw, { keys }: Loot, body: HostileBody | null): Record<string, string> {
  const headers: Record<string, string> = {}
  if (draw.chance(85))
    headers.authorization = `Bearer ${draw.chance(90) ? draw.pick(keys) : headerSafe(spoilt(draw, draw.pick(keys)))}`
  else if (draw.chance(50)) headers.authorization = headerText(draw)
  if (body !== null && body.contentType !== null) headers['content-type'] = body.contentType
  if (draw.chance(20)) headers.accept = draw.pick(['text/html', '*/*', 'text/html;q="0', headerText(draw)])
  if (draw.chance(20)) headers.origin = draw.pick(['https://sparkle.example', 'null', headerText(draw)])
  if (draw.chance(5)) headers.referer = headerText(draw)
  if (draw.chance(3)) headers['content-encoding'] = draw.pick(['gzip', 'identity', headerText(draw)])
  if (draw.chance(3)) headers['if-none-match'] = headerText(draw)
  return headers
}

function headerText(draw: HostileDraw): string {
  return headerSafe(draw.text().slice(0, 1_000))
}

/** The text without the characters that an HTTP client refuses to send in a header. */
function headerSafe(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '').trim()
}
