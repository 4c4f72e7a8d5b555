import { createHash } from 'node:crypto'
import type { Answer } from '../../service/processes/network.ts'
import { bodyOf, type Client } from '../client.ts'

/** The longest pause before something is tried again: at first, and after many failures, in ms. */
const RETRY_MAX_MS = 20_000
const RETRY_LONGEST_MS = 3_600_000
/** The maximum number of parts in which a file is sent. */
const PARTS_MAX = 3

interface Session {
  readonly importId: string
  readonly state: string
  readonly nextPart: number
}

/** A file of rows, in the parts in which it is sent. */
interface File {
  readonly kind: string
  readonly parts: readonly Buffer[]
  /** Whether nothing is wrong with it. */
  readonly isGood: boolean
}

/** Imports rows, and repeats that until an answer says that they are stored. */
export async function importRows(
  kind: string,
  rows: readonly object[],
  organizationId: string,
  client: Client,
): Promise<void> {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const parts = partsOf(Buffer.from(text), 1 + client.decide.below('more parts', PARTS_MAX))
  for (let retryMaxMs = RETRY_MAX_MS; ; retryMaxMs = Math.min(retryMaxMs * 1.2, RETRY_LONGEST_MS)) {
    const session = await sendFile({ kind, parts, isGood: true }, organizationId, client)
    if (session?.state === 'done') return
    if (session?.state === 'refused') {
      client.violated('a good file is imported', `${organizationId} ${kind}`)
      return
    }
    await client.pause(client.decide.delayMs('waits', retryMaxMs))
  }
}

/** Imports rows of which one is wrong: none of them may be stored. */
export async function importWrongly(
  kind: string,
  rows: readonly object[],
  organizationId: string,
  client: Client,
): Promise<void> {
  const wrong = [...rows, { wrong: true }]
  const text = wrong.map((row) => `${JSON.stringify(row)}\n`).join('')
  const session = await sendFile(
    { kind, parts: partsOf(Buffer.from(text), 1), isGood: false },
    organizationId,
    client,
  )
  if (session?.state === 'done' || session?.state === 'writing')
    client.violated('a wrong file is refused', `${organizationId} ${session.importId}: ${session.state}`)
}

function partsOf(bytes: Buffer, count: number): readonly Buffer[] {
  const size = Math.ceil(bytes.length / count)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Sends a file as far as it gets. Null: no session, because no answer arrived, or another import is under way. */
async function sendFile(
  { kind, parts, isGood }: File,
  organizationId: string,
  client: Client,
): Promise<Session | null> {
  const totalBytes = parts.reduce((sum, { length }) => sum + length, 0)
  const digest = digestOf(Buffer.concat(parts.map(digestOf))).toString('base64url')
  const all = `/operator/v1/organizations/${organizationId}/imports`
  const key = client.operatorKey
  const opening = { action: 'import.open', organizationId }
  const body = JSON.stringify({ kind, format: 'ndjson', totalBytes, digest })
  let session = sessionIn(await client.change(opening, { method: 'POST', path: all, body }), client)
  const one = `${all}/${session?.importId ?? ''}`
  while (session?.state === 'receiving' && session.nextPart <= parts.length) {
    session = await sendPart(`${one}/parts/${session.nextPart}`, parts[session.nextPart - 1], client)
  }
  const committing = { action: 'import.commit', organizationId }
  if (session?.state === 'receiving') {
    const answer = await client.change(committing, { method: 'POST', path: `${one}/commit` })
    if (!isGood && answer?.status === 422) {
      client.happened('an import is refused')
      return null
    }
    session = sessionIn(answer, client)
  }
  while (session?.state === 'writing') {
    await client.pause(client.decide.delayMs('waits', RETRY_MAX_MS))
    session = sessionIn(await client.send({ method: 'POST', path: `${one}/write`, key }), client)
  }
  return session
}

/** Sends a part. Sometimes it is damaged on its way at first, and must then be refused. */
async function sendPart(path: string, bytes: Buffer | undefined, client: Client): Promise<Session | null> {
  if (bytes === undefined) throw new Error('A file has no such part')
  const headers = {
    'content-type': 'application/octet-stream',
    'content-digest': `sha-256=:${digestOf(bytes).toString('base64')}:`,
  }
  const request = { method: 'PUT', path, key: client.operatorKey, headers } as const
  if (client.decide.chance('damages a part', 10)) {
    const damaged = await client.send({ ...request, body: `${bytes.toString()} ` })
    if (damaged?.status === 200) client.violated('a damaged part is refused', `${path}: ${damaged.text}`)
    if (damaged !== null && damaged.status < 500) client.happened('a damaged part is refused')
  }
  return sessionIn(await client.send({ ...request, body: bytes.toString() }), client)
}

/**
 * The session in an answer; null when there is none. An import may only be refused because of a conflict with another
 * import.
 */
function sessionIn(answer: Answer | null, client: Client): Session | null {
  if (answer?.status === 200) return bodyOf(answer) as Session
  const isExpected = answer === null || answer.status === 409 || answer.status >= 500
  if (!isExpected) client.violated('a good file is imported', `${answer.status} ${answer.text}`)
  return null
}
