import type { Deployment } from './deployment.ts'
import { hostOf } from './steps/address.ts'

/** What a deployment cannot do by itself, in the order of its urgency. */
export function leftToAPerson({ file, url, kept, remarks }: Deployment): readonly string[] {
  const host = hostOf(file)
  const { MAIL_DOMAIN: given } = file.vars
  const domain = typeof given === 'string' ? given : 'your sender domain'
  const areBackupsPlain =
    file.r2_buckets.some(({ binding }) => binding === 'BACKUPS') && !isSet(file.vars.BACKUP_RECIPIENT)
  return [
    `Root secret: put the copy from ${kept.path} into your password manager. Whoever has it can make operator keys.`,
    ...remarks,
    `Sender domain: at Resend, add ${domain} and copy the records that it shows (SPF and DKIM) into its DNS, with a TXT record _dmarc.${domain} of "v=DMARC1; p=none". Send one email to yourself, and raise p later.`,
    host === null
      ? 'Address: workers.dev is for a trial. Set routes and workers_dev in wrangler.toml and deploy again, so that the rules of a domain of yours cover it.'
      : `Rate limit: in the zone of ${host}, add a WAF rate limiting rule for POST requests whose path begins with /api/forms/, by client address. Switch on "Always Use HTTPS" and HSTS.`,
    `Uptime check: ask ${url ?? ''}/health every minute, and expect 200 with {"status":"ok"}.`,
    'Alerts: for errors of the Worker (Notifications in the dashboard), for the size of the database well below 10 GB, and for spending at the providers.',
    ...(areBackupsPlain
      ? [
          'Backups: they are not encrypted, so whoever reads the bucket reads them. Make a key with age-keygen, keep its secret part outside Cloudflare, and set its public part (age1…) as BACKUP_RECIPIENT in [vars].',
        ]
      : []),
  ]
}

/** Like the service, takes an empty variable for one that is not set. */
function isSet(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
