import { createResendSender } from '../../adapters/email-resend/index.ts'
import { createTwilioSender } from '../../adapters/sms-twilio/index.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { Env } from '../env/index.ts'
import { systemClock, systemDeadline, systemFetch } from '../system.ts'

const outside = { fetch: systemFetch, deadline: systemDeadline, clock: systemClock }

/** The email provider; null when none is configured. */
export function emailOf({ email }: Env): EmailSender | null {
  if (email === null) return null
  return email.kind === 'local' ? email.sender : createResendSender({ ...email, ...outside })
}

/** The SMS provider; null when none is configured. */
export function smsOf({ sms }: Env): SmsSender | null {
  if (sms === null) return null
  return sms.kind === 'local' ? sms.sender : createTwilioSender({ ...sms, ...outside })
}
