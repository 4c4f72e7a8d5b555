import type { RawAttack } from './client.ts'
import type { HostileDraw } from './draw.ts'

const SUBMIT = 'POST /api/forms/demo-contact/submissions HTTP/1.1\r\nHost: x\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Attacks on the connection itself, including slow ones. */
export function rawAttacks(draw: HostileDraw): readonly RawAttack[] {
  const now = (text: string) => [{ text, afterMs: 0 }]
  return [
    attack('a body that never comes', now(`${SUBMIT}${JSON_TYPE}Content-Length: 100\r\n\r\n{`)),
    attack('a body a byte at a time', [
      ...now(`${SUBMIT}${JSON_TYPE}Content-Length: 2000\r\n\r\n`),
      ...Array.from({ length: 40 }, () => ({ text: ' ', afterMs: 1_000 })),
    ]),
    attack('chunks without an end', [
      ...now(`${SUBMIT}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`),
      ...Array.from({ length: 30 }, () => ({ text: '1000\r\n' + 'x'.repeat(4_096) + '\r\n', afterMs: 20 })),
    ]),
    attack(
      'both lengths',
      now(`${SUBMIT}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
    ),
    attack('a length that lies', now(`${SUBMIT}${JSON_TYPE}Content-Length: 5\r\n\r\n{"_gotcha":""}`)),
    malformed('two lengths', `${SUBMIT}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400),
    malformed('a negative length', `${SUBMIT}Content-Length: -1\r\n\r\n`, 400),
    malformed('a huge length', `${SUBMIT}Content-Length: 99999999999999999999\r\n\r\n`, 400),
    attack('a chunk of a huge size', now(`${SUBMIT}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`)),
    malformed('no host', 'GET /api/v1/openapi.json HTTP/1.1\r\n\r\n', 400),
    malformed('an old protocol', 'GET /api/v1/openapi.json HTTP/0.9\r\n\r\n', 400),
    malformed('no protocol', 'GET /\r\n\r\n', 400),
    malformed('another protocol', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc', 400),
    malformed('a header of 1 MB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_000_000)}\r\n\r\n`, 431),
    malformed('10,000 headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X: a\r\n'.repeat(10_000)}\r\n`, 500),
    attack(
      'control characters in a header',
      now('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \u0000\u0007\r\n\r\n'),
    ),
    attack('bytes above ASCII in the path', now('GET /api/v1/\u00ff\u00fe HTTP/1.1\r\nHost: x\r\n\r\n')),
    attack('a path of 100 kB', now(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)),
    attack(
      'a URL of another host',
      now('GET http://evil.example/api/v1/contacts HTTP/1.1\r\nHost: x\r\n\r\n'),
    ),
    attack('a folded header', now('GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\n b\r\n\r\n')),
    attack('CONNECT', now('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')),
    attack('TRACE', now('TRACE / HTTP/1.1\r\nHost: x\r\n\r\n')),
    attack('20 requests at once', now('GET /api/v1/contacts HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))),
    attack('noise', now(draw.bytes(500).toString('latin1'))),
    { ...attack('hanging up in the request', now(`${SUBMIT}${JSON_TYPE}Content-Le`)), hangsUp: true },
    {
      ...attack('hanging up in the body', now(`${SUBMIT}${JSON_TYPE}Content-Length: 50\r\n\r\n{"_go`)),
      hangsUp: true,
    },
    {
      ...attack(
        'hanging up before the answer',
        now(`${SUBMIT}${JSON_TYPE}Content-Length: 14\r\n\r\n{"_gotcha":""}`),
      ),
      hangsUp: true,
    },
  ]
}

function attack(name: string, chunks: RawAttack['chunks']): RawAttack {
  return { name, chunks, hangsUp: false, parserStatus: null }
}

/** An attack that is no HTTP, or too much of it, which the runtime's parser refuses before the service sees it. */
function malformed(name: string, text: string, parserStatus: number): RawAttack {
  return { ...attack(name, [{ text, afterMs: 0 }]), parserStatus }
}
