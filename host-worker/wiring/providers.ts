import { createResendSender } from '../../adapters/email-resend/index.ts'
import { createTwilioSender } from '../../adapters/sms-twilio/index.ts'
import type { World } from '../../domain/world.ts'
import type { EmailSender, SmsSender } from '../../ports/messaging.ts'
import type { ExitSurveySource } from '../../ports/sources.ts'
import type { Env } from '../env/index.ts'
import { systemClock, systemDeadline, systemFetch } from '../system.ts'
import { askLoaded } from './ask-loaded.ts'

const system = { fetch: systemFetch, deadline: systemDeadline, clock: systemClock }

/** The email provider; null when none is configured. */
export function emailOf({ email }: Env): EmailSender | null {
  if (email === null) return null
  return email.kind === 'local' ? email.sender : createResendSender({ ...email, ...system })
}

/** The SMS provider; null when none is configured. */
export function smsOf({ sms }: Env): SmsSender | null {
  if (sms === null) return null
  return sms.kind === 'local' ? sms.sender : createTwilioSender({ ...sms, ...system })
}

/** The link service; null when none is configured, and links are in the service's own storage. */
export function linksOf({ links }: Env): World['sources']['links'] {
  if (links === null) return null
  return ({ organizationId }) => {
    const open = async () => {
      const { openDubLinks } = await import('./pos/outside-sources.ts')
      return openDubLinks({ ...links, ...system }, organizationId)
    }
    return {
      page: (query) => askLoaded(open, (source) => source.page(query)),
      one: (query) => askLoaded(open, (source) => source.one(query)),
      groups: (query) => askLoaded(open, (source) => source.groups(query)),
    }
  }
}

/** The analytics database with the exit survey; null when none is configured. */
export function exitSurveyOf({ clickHouse }: Env): ExitSurveySource | null {
  if (clickHouse === null) return null
  const load = async () => {
    const { createClickHouseExitSurvey } = await import('./pos/outside-sources.ts')
    return createClickHouseExitSurvey({ ...clickHouse, fetch: systemFetch })
  }
  return {
    open: (organizationId) => ({
      countReasons: (range, signal) =>
        askLoaded(load, (source) => source.open(organizationId).countReasons(range, signal)),
    }),
  }
}
