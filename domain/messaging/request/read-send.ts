import type * as v from 'valibot'
import type { Deadline } from '../../../ports/platform.ts'
import { readJsonBody, type JsonBodyReading } from '../../bounds/json-body.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'

/** What is sent, with the idempotency key of the request (null: none), or what is wrong, as `path: message`. */
type SendReading<Body> =
  | { readonly kind: 'send'; readonly body: Body; readonly key: string | null }
  | Extract<JsonBodyReading<Body>, { kind: 'malformed' }>

/**
 * Reads the header and the body of a request to send. A key of the body that is not known is ignored, unless it is a
 * misspelling of one that is, because the message would go out without what it was to carry.
 */
export async function readSend<Schema extends v.GenericSchema>(
  request: Request,
  declared: { readonly schema: Schema; readonly maxBytes: number },
  deadline: Deadline,
): Promise<SendReading<v.InferOutput<Schema>>> {
  const header = idempotencyKeyOf(request.headers)
  const reading = await readJsonBody(request, { ...declared, refusesMisspelt: true }, deadline)
  const details = [
    ...('malformed' in header ? [header.malformed] : []),
    ...(reading.kind === 'malformed' ? reading.details : []),
  ]
  if ('malformed' in header || reading.kind === 'malformed') return { kind: 'malformed', details }
  return { kind: 'send', body: reading.body, key: header.key }
}
