import { createD1Storage } from '../adapters/d1/index.ts'
import type { Meter } from '../adapters/d1/index.ts'
import { createResendSender } from '../adapters/email-resend/index.ts'
import { createMailbox } from '../adapters/local/index.ts'
import { createCloudflareQueue } from '../adapters/queue-cloudflare/index.ts'
import { createQstashQueue } from '../adapters/queue-qstash/index.ts'
import { createTwilioSender } from '../adapters/sms-twilio/index.ts'
import type { JobWorld } from '../domain/jobs/world.ts'
import type { EmailSender } from '../ports/email-sender.ts'
import type { Queue } from '../ports/queue.ts'
import type { SmsSender } from '../ports/sms-sender.ts'
import type { Env } from './env.ts'
import { consoleLog, systemClock, systemDeadline, systemFetch, systemRandom } from './system.ts'

/** Picks the adapters for work that follows requests. */
export function openJobWorld(env: Env, meter: Meter): JobWorld {
  return {
    outbox: createD1Storage({ database: env.database, clock: systemClock, meter }).outbox,
    email: emailOf(env),
    sms: smsOf(env),
    mail: env.mail,
    clock: systemClock,
    deadline: systemDeadline,
    random: systemRandom,
    log: consoleLog,
  }
}

const system = { fetch: systemFetch, deadline: systemDeadline, clock: systemClock }

/** The email provider; null when none is configured. */
export function emailOf({ email, database }: Env): EmailSender | null {
  if (email === null) return null
  return email.kind === 'mailbox'
    ? createMailbox(database, systemClock).email
    : createResendSender({ ...email, ...system })
}

/** The SMS provider; null when none is configured. */
export function smsOf({ sms, database }: Env): SmsSender | null {
  if (sms === null) return null
  return sms.kind === 'mailbox'
    ? createMailbox(database, systemClock).sms
    : createTwilioSender({ ...sms, ...system })
}

/** The queue; null when none is configured. */
export function queueOf({ queue }: Env): Queue | null {
  if (queue === null) return null
  return queue.kind === 'cloudflare'
    ? createCloudflareQueue(queue.binding)
    : createQstashQueue({ ...queue, ...system })
}
