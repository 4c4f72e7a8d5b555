import * as v from 'valibot'
import { RESEND_URL } from '../../adapters/email-resend/index.ts'
import { TWILIO_URL, type SharedOrigin } from '../../adapters/sms-twilio/index.ts'
import { apiRoot, group, required, text } from './variables.ts'

const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** The service's own sender domain and name. */
export const Mail = v.pipe(
  v.object({
    MAIL_DOMAIN: v.pipe(text, v.toLowerCase(), v.regex(DOMAIN, 'must be the domain of the sender addresses')),
    PLATFORM_BRAND: v.pipe(text, v.trim(), v.regex(/^\P{Cc}+$/u, "must be the operator's sender name")),
  }),
  v.transform(({ MAIL_DOMAIN: domain, PLATFORM_BRAND: brand }) => ({ domain, brand })),
)

/** Resend; null when it is not configured. */
export const Resend = v.pipe(
  v.object({ RESEND_API_KEY: text, RESEND_API_URL: apiRoot(RESEND_URL) }),
  v.transform(({ RESEND_API_KEY: apiKey, RESEND_API_URL: baseUrl }) => {
    return apiKey === '' ? null : { kind: 'resend' as const, apiKey, baseUrl }
  }),
)

const twilio = {
  TWILIO_ACCOUNT_SID: required('TWILIO'),
  TWILIO_AUTH_TOKEN: required('TWILIO'),
  TWILIO_MESSAGING_SERVICE_SID: text,
  TWILIO_SHORTCODE: text,
}

const twilioAlways = { TWILIO_API_URL: apiRoot(TWILIO_URL) }

/** Twilio; null when it is not configured. */
export const Twilio = group(
  Object.keys(twilio),
  twilioAlways,
  v.pipe(
    v.object({ ...twilioAlways, ...twilio }),
    v.partialCheck(
      [['TWILIO_MESSAGING_SERVICE_SID'], ['TWILIO_SHORTCODE']],
      ({ TWILIO_MESSAGING_SERVICE_SID: service, TWILIO_SHORTCODE: code }) =>
        (service === '') !== (code === ''),
      'one of TWILIO_MESSAGING_SERVICE_SID and TWILIO_SHORTCODE must be set',
    ),
    v.transform((given) => ({
      kind: 'twilio' as const,
      accountSid: given.TWILIO_ACCOUNT_SID,
      authToken: given.TWILIO_AUTH_TOKEN,
      shared: sharedOrigin(given.TWILIO_MESSAGING_SERVICE_SID, given.TWILIO_SHORTCODE),
      baseUrl: given.TWILIO_API_URL,
    })),
  ),
)

function sharedOrigin(messagingServiceSid: string, shortcode: string): SharedOrigin {
  return shortcode === '' ? { messagingServiceSid } : { shortcode }
}
