import type { RawAttack } from './client.ts'
import type { HostileDraw } from './draw.ts'

const SUBMIT = 'POST /api/forms/demo-contact/submissions HTTP/1.1\r\nHost: localhost\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Attacks on the connection itself, including slow ones. */
export function rawAttacks(draw: HostileDraw): readonly RawAttack[] {
  const now = (text: string) => [{ text, afterMs: 0 }]
  return [
    attack('a body that never comes', now(`${SUBMIT}${JSON_TYPE}Content-Length: 100\r\n\r\n{`), ENDLESS),
    attack(
      'a body a byte at a time',
      [
        ...now(`${SUBMIT}${JSON_TYPE}Content-Length: 2000\r\n\r\n`),
        ...Array.from({ length: 40 }, () => ({ text: ' ', afterMs: 1_000 })),
      ],
      ENDLESS,
    ),
    attack(
      'chunks without an end',
      [
        ...now(`${SUBMIT}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`),
        ...Array.from({ length: 30 }, () => ({ text: '1000\r\n' + 'x'.repeat(4_096) + '\r\n', afterMs: 20 })),
      ],
      ENDLESS,
    ),
    attack(
      'both lengths',
      now(`${SUBMIT}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
    ),
    attack('a length that lies', now(`${SUBMIT}${JSON_TYPE}Content-Length: 5\r\n\r\n{"_gotcha":""}`)),
    attack('two lengths', now(`${SUBMIT}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`), ['400']),
    attack('a negative length', now(`${SUBMIT}Content-Length: -1\r\n\r\n`), ['400']),
    attack('a huge length', now(`${SUBMIT}Content-Length: 99999999999999999999\r\n\r\n`), ['400']),
    attack(
      'a chunk of a huge size',
      now(`${SUBMIT}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`),
      ENDLESS,
    ),
    attack('no host', now('GET /api/v1/openapi.json HTTP/1.1\r\n\r\n'), ['400']),
    attack('an old protocol', now('GET /api/v1/openapi.json HTTP/0.9\r\n\r\n'), ['400']),
    attack('no protocol', now('GET /\r\n\r\n'), ['400']),
    attack('another protocol', now('\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc'), ['400']),
    attack(
      'a header of 1 MB',
      now(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(1_000_000)}\r\n\r\n`),
      // The runtime closes the connection while the header is still being sent, so a reset may overtake its answer
      // (RFC 9112, section 9.6).
      ['431', 'closed'],
    ),
    attack(
      '10,000 headers',
      now(`GET /api/v1/contacts HTTP/1.1\r\nHost: localhost\r\n${'X: a\r\n'.repeat(10_000)}\r\n`),
    ),
    attack(
      'control characters in a header',
      now('GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \u0000\u0007\r\n\r\n'),
      ['400'],
    ),
    attack(
      'bytes above ASCII in the path',
      now('GET /api/v1/\u00ff\u00fe HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      ['400'],
    ),
    attack('a path of 100 kB', now(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`), [
      '414',
    ]),
    attack(
      'a URL of another host',
      now('GET http://evil.example/api/v1/contacts HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    ),
    attack('a folded header', now('GET / HTTP/1.1\r\nHost: localhost\r\nAccept: a\r\n b\r\n\r\n'), ['400']),
    attack('CONNECT', now('CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'), ['500']),
    attack('TRACE', now('TRACE /api/v1/contacts HTTP/1.1\r\nHost: localhost\r\n\r\n')),
    attack('20 requests at once', now('GET /api/v1/contacts HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20))),
    attack('noise', now(draw.bytes(500).toString('latin1')), ['400']),
    hangingUp('in the request', `${SUBMIT}${JSON_TYPE}Content-Le`),
    hangingUp('in the body', `${SUBMIT}${JSON_TYPE}Content-Length: 50\r\n\r\n{"_go`),
    hangingUp('before the answer', `${SUBMIT}${JSON_TYPE}Content-Length: 14\r\n\r\n{"_gotcha":""}`),
  ]
}

/** A body that never ends is awaited for some time. Then its connection may end before the answer gets through. */
const ENDLESS = ['500', 'closed']

/** @param excused what the runtime may do with it, so that the service does not answer it; default: nothing */
function attack(name: string, chunks: RawAttack['chunks'], excused: readonly string[] = []): RawAttack {
  return { name, chunks, hangsUp: false, excused }
}

function hangingUp(when: string, text: string): RawAttack {
  const chunks = [{ text, afterMs: 0 }]
  return { name: `hanging up ${when}`, chunks, hangsUp: true, excused: ['closed'] }
}
