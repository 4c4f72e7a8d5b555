import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { issueKey } from '../../domain/access/api-key.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import { projectRoot } from '../../host-worker/local/root.ts'
import { wranglerEnvironment } from '../../host-worker/local/wrangler-environment.ts'
import { systemClock, systemRandom } from '../../host-worker/system.ts'
import { builtWorker } from './built-worker.ts'
import { migrationsOf } from '../../adapters/node-sqlite/index.ts'
import { applyMigrations } from './d1.ts'
import { testRootSecret } from './fakes.ts'
import { openResend, openTwilio, RESEND_KEY, TWILIO_SID, TWILIO_TOKEN } from './providers.ts'

/** The real worker on the real runtime with local D1, as `wrangler.toml` describes it. */
export interface LiveService {
  /** Where it listens. */
  readonly origin: string
  /** A key of the organization `acme`, which owns the forms `plain`, `unpublished` and `hosted`. */
  readonly key: string
  close(): Promise<void>
}

/**
 * @param settings more secrets and variables of the worker
 * @param directory another build of the worker than the one that all tests share
 */
export async function openLiveService(
  settings: Readonly<Record<string, string>> = {},
  directory?: string,
): Promise<LiveService> {
  const worker = await openLiveWorker(settings, directory)
  return { origin: worker.origin, key: await seed(worker.bindings.DB), close: () => worker.close() }
}

/** The worker with migrated databases and nothing in them. */
export interface LiveWorker {
  readonly origin: string
  readonly bindings: { readonly DB: D1Database; readonly POS_LEGACY: D1Database }
  /** Fires the cron trigger. */
  fireCron(): Promise<void>
  close(): Promise<void>
}

/** The worker with stand-ins for its providers, which it reaches over HTTP. Closing it closes them too. */
export async function openLiveWorkerWithProviders() {
  const [resend, twilio] = await Promise.all([openResend(), openTwilio()])
  const worker = await openLiveWorker({
    RESEND_API_KEY: RESEND_KEY,
    RESEND_API_URL: resend.url,
    TWILIO_ACCOUNT_SID: TWILIO_SID,
    TWILIO_AUTH_TOKEN: TWILIO_TOKEN,
    TWILIO_SHORTCODE: '12345',
    TWILIO_API_URL: twilio.url,
  })
  const close = async () => {
    await worker.close()
    await Promise.all([resend.close(), twilio.close()])
  }
  const storage = createD1Storage({ database: worker.bindings.DB, clock: systemClock })
  return { ...worker, close, storage, resend, twilio }
}

/** Starts the worker; `variables` are further secrets or variables that it is given. */
export async function openLiveWorker(
  variables: Readonly<Record<string, string>> = {},
  directory?: string,
): Promise<LiveWorker> {
  const { createTestHarness } = await loadWrangler()
  const harness = createTestHarness({
    workers: [
      {
        configPath: join(projectRoot, 'wrangler.toml'),
        prebuiltWorkerDir: directory ?? (await builtWorker()),
        secrets: { ROOT_SECRET: testRootSecret(), ...variables },
      },
    ],
  })
  const { url } = await harness.listen()
  const worker = harness.getWorker<LiveWorker['bindings']>()
  const bindings = await worker.getEnv()
  await applyMigrations(bindings.DB)
  await applyMigrations(bindings.POS_LEGACY, migrationsOf('pos-legacy-vendor'))
  return {
    origin: url.origin,
    bindings,
    fireCron: async () => {
      await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date() })
    },
    close: () => harness.close(),
  }
}

/** wrangler reads its environment when it is loaded. */
async function loadWrangler() {
  Object.assign(process.env, wranglerEnvironment(join(tmpdir(), 'live-service')))
  return import('wrangler')
}

async function seed(database: D1Database): Promise<string> {
  const storage = createD1Storage({ database, clock: systemClock })
  await storage.administration.saveOrganization({
    organizationId: 'acme',
    name: 'Acme',
    slug: null,
    parentId: null,
    smsNumber: null,
    phoneCountry: 'US',
    posSource: null,
    billingEvents: true,
    analytics: false,
    retentionOfferAnalytics: false,
  })
  const fields = [
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'name', type: 'short_text', label: 'Name' },
    { id: 'choices', type: 'multiple_choice', label: 'Choices', options: [option('a'), option('b')] },
  ]
  await storage
    .tenant('acme')
    .upsert('forms', [
      form('plain', true, fields),
      form('unpublished', false, fields),
      form('hosted', true, [{ id: 'file', type: 'file', label: 'File' }]),
    ])
  const secrets = await openSecrets(testRootSecret(), null)
  const { key, stored } = await issueKey({ organizationId: 'acme' }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(stored)
  return key
}

function option(value: string): object {
  return { value, label: value }
}

function form(formId: string, isPublished: boolean, fields: readonly object[]): Record<string, unknown> {
  return {
    formId,
    name: formId,
    isPublished,
    publishedAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    definition: { formId, name: formId, isPublished, notificationEmails: [], fields },
    passwordHash: null,
  }
}
