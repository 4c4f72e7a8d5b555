import type { HostileDraw } from './draw.ts'

/** A request body with the content type that it claims to have. */
export interface HostileBody {
  readonly contentType: string | null
  readonly bytes: Buffer
}

const TYPES: readonly [string | null, ...(string | null)[]] = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary="x y"',
  'multipart/form-data',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'application/json; charset=utf-16',
  'application/json;charset="utf-8"; x=";',
  'text/plain',
  'application/xml',
  ';;;',
  null,
]

const CONTROL_KEYS: readonly [string, ...string[]] = [
  '_gotcha',
  '_password',
  '_redirect',
  '_utm_source',
  '_landing_url',
  '_unknown',
]

/** Keys that the endpoints read, so that hostile values pass the first check. */
const KNOWN_KEYS: readonly [string, ...string[]] = [
  'to',
  'body',
  'subject',
  'html',
  'from',
  'replyTo',
  'attachments',
  'useShortcode',
  'firstName',
  'email',
  'phone',
  'message',
]

/** A body of any kind, often one that some endpoint would almost accept. */
export function hostileBody(draw: HostileDraw): HostileBody {
  const contentType = draw.pick(TYPES)
  return { contentType, bytes: mangled(draw, bodyOf(draw, contentType ?? '')) }
}

function bodyOf(draw: HostileDraw, contentType: string): Buffer {
  if (draw.chance(5)) return draw.bytes(draw.below(2_000))
  if (contentType.startsWith('application/x-www')) return Buffer.from(urlencoded(draw))
  if (contentType.startsWith('multipart')) return Buffer.from(multipart(draw, contentType))
  return Buffer.from(jsonText(draw))
}

function jsonText(draw: HostileDraw): string {
  switch (draw.below(8)) {
    case 0:
      return '['.repeat(1 + draw.below(30_000))
    case 1:
      return `{"attachments":[${'0,'.repeat(draw.below(30_000))}0],"to":"a@example.com"}`
    case 2:
      return `{"to":[${'"x",'.repeat(draw.below(10_000))}"y"],"body":"b"}`
    case 3:
      return '{"a":'.repeat(1 + draw.below(10_000))
    case 4:
      return `{${Array.from({ length: draw.below(4_000) }, (_, index) => `"k${index}":1`).join()}}`
    default:
      return JSON.stringify(fields(draw))
  }
}

function fields(draw: HostileDraw): Readonly<Record<string, unknown>> {
  const names = Array.from({ length: draw.below(8) }, () => keyOf(draw))
  const values = names.map((name) => [name, draw.chance(60) ? draw.text() : draw.json(4)])
  const basics = draw.chance(60) ? [['_gotcha', '']] : []
  const wellFormed = draw.chance(40)
    ? [
        ['to', draw.chance(50) ? 'ada@example.com' : ['2125550100', draw.text()]],
        ['subject', draw.text()],
        ['html', draw.text()],
        ['body', draw.text()],
      ]
    : []
  return Object.fromEntries<unknown>([...wellFormed, ...basics, ...values] as [string, unknown][])
}

function keyOf(draw: HostileDraw): string {
  if (draw.chance(30)) return draw.pick(CONTROL_KEYS)
  return draw.chance(60) ? draw.pick(KNOWN_KEYS) : draw.text()
}

function urlencoded(draw: HostileDraw): string {
  const pairs = Array.from({ length: draw.below(12) }, () => {
    const encode = draw.chance(70) ? (text: string) => encodeURIComponent(text.toWellFormed()) : String
    return `${encode(keyOf(draw))}${draw.chance(90) ? '=' : ''}${encode(draw.text())}`
  })
  return ['_gotcha=', ...pairs].join(draw.chance(95) ? '&' : '&&=&')
}

function multipart(draw: HostileDraw, contentType: string): string {
  const boundary = /boundary="?([^";]*)/.exec(contentType)?.[1] ?? 'x'
  const parts = Array.from({ length: draw.below(8) }, () => {
    const file = draw.chance(15) ? `; filename="${draw.text()}"` : ''
    const name = keyOf(draw).replaceAll('"', draw.chance(50) ? '%22' : '"')
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${draw.text()}\r\n`
  })
  const gotcha = `--${boundary}\r\nContent-Disposition: form-data; name="_gotcha"\r\n\r\n\r\n`
  return gotcha + parts.join('') + (draw.chance(85) ? `--${boundary}--\r\n` : `--${boundary}`)
}

/** In one body of five, cuts, doubles or changes some bytes. */
function mangled(draw: HostileDraw, body: Buffer): Buffer {
  switch (draw.below(25)) {
    case 0:
      return body.subarray(0, draw.below(body.length + 1))
    case 1:
      return Buffer.concat([body, body])
    case 2:
    case 3: {
      const changed = Buffer.from(body)
      for (let count = draw.below(4); count >= 0 && changed.length > 0; count -= 1)
        changed[draw.below(changed.length)] = draw.below(256)
      return changed
    }
    case 4:
      return Buffer.concat([body, Buffer.alloc(70_000, 32)])
    default:
      return body
  }
}
