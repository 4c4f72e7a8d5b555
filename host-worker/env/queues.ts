import type { Queue as QueueBinding } from '@cloudflare/workers-types'
import * as v from 'valibot'
import { QSTASH_URL } from '../../adapters/queue-qstash/index.ts'
import type { OutboxRef } from '../../ports/outbox-store.ts'
import { apiRoot, binding, group, isSafeUrl, required, text, whenSet } from './variables.ts'

/** The path to which QStash delivers. It is outside `/api`, which belongs to the contract. */
export const QSTASH_PATH = '/qstash'

function isCallback(given: string): boolean {
  const url = URL.parse(given)
  return isSafeUrl(url) && url.href === given && given === `${url.origin}${QSTASH_PATH}`
}

const entries = {
  QSTASH_TOKEN: required('QSTASH'),
  QSTASH_CURRENT_SIGNING_KEY: required('QSTASH'),
  QSTASH_NEXT_SIGNING_KEY: required('QSTASH'),
  QSTASH_CALLBACK_URL: v.pipe(
    required('QSTASH'),
    whenSet(isCallback, `must be the https URL of this service's ${QSTASH_PATH}`),
  ),
}

const always = {
  QSTASH_URL: apiRoot(QSTASH_URL),
  QSTASH_DEV: v.pipe(text, v.empty('must not be set: its signing keys are known to everyone')),
}

/** QStash; null when it is not configured. */
export const Qstash = group(
  Object.keys(entries),
  always,
  v.pipe(
    v.object({ ...always, ...entries }),
    v.transform((given) => ({
      kind: 'qstash' as const,
      token: given.QSTASH_TOKEN,
      keys: { current: given.QSTASH_CURRENT_SIGNING_KEY, next: given.QSTASH_NEXT_SIGNING_KEY },
      callbackUrl: given.QSTASH_CALLBACK_URL,
      baseUrl: given.QSTASH_URL,
    })),
  ),
)

/** A Cloudflare queue; null when there is none. */
export const CloudflareQueue = v.pipe(
  v.object({ JOBS: binding<QueueBinding<OutboxRef>>(['sendBatch'], 'must be a queue binding') }),
  v.transform(({ JOBS }) => (JOBS === null ? null : { kind: 'cloudflare' as const, binding: JOBS })),
)
