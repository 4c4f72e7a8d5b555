import { fireCron } from '../../../host-worker/local/host.ts'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { inject } from 'vitest'
import type { D1Database } from '@cloudflare/workers-types'
import { createD1Storage } from '../../../adapters/d1/index.ts'
import { issueKey } from '../../../domain/access/keys.ts'
import { openSecrets } from '../../../domain/access/secrets.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { projectRoot, wranglerEnvironment } from '../../../host-worker/local/project.ts'
import { systemClock, systemRandom } from '../../../host-worker/system.ts'
import { builtOnce, builtWorker } from './built-worker.ts'
import { placeDatabase } from '../databases/d1-files.ts'
import { DATABASE_WORKER, databasesAt } from '../databases/database-worker.ts'
import { testRootSecret } from '../runner/fakes.ts'
import { openResend, openTwilio, RESEND_KEY, TWILIO_SID, TWILIO_TOKEN } from '../providers/providers.ts'
import { migratedImage } from '../databases/migrated-image.ts'
import { runtimeFiles } from './runtime-files.ts'

/** The real Worker on the real runtime with local D1, as configured in `wrangler.toml`. */
export interface LiveService {
  /** The URL of the service. */
  readonly origin: string
  /** A key of the organization `acme`, which owns the forms `plain`, `native`, `unpublished` and `hosted`. */
  readonly key: string
  close(): Promise<void>
}

/** Where the parts of a Worker come from that are built for the tests. */
export interface Built {
  /** A build of the Worker. Default: the one that all tests of the run share. */
  readonly directory?: string
  /** The folder with what the tests of the run share. A test need not name it. */
  readonly scratch?: string
}

/** @param settings more secrets and variables of the worker */
export async function openLiveService(
  settings: Readonly<Record<string, string>> = {},
  built: Built = {},
): Promise<LiveService> {
  const worker = await openLiveWorker(settings, built)
  return { origin: worker.origin, key: await seed(worker.bindings.DB), close: () => worker.close() }
}

/** A service that runs until the end of the run. */
export type SharedService = Omit<LiveService, 'close'>

/**
 * The service that files share which need no settings of their own. Other files may add submissions to its forms at any
 * time.
 */
export async function sharedLiveService(): Promise<SharedService> {
  const scratch = new URLSearchParams({ scratch: inject('builtWorker') })
  const response = await fetch(`${inject('sharedRuntimes')}/service?${scratch.toString()}`)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as SharedService
}

/** The Worker with migrated, empty databases. */
export interface LiveWorker {
  readonly origin: string
  readonly bindings: { readonly DB: D1Database; readonly POS_LEGACY: D1Database }
  /** Sends a request as if it had come to this URL, whose host and scheme need not be those of `origin`. */
  ask(url: string, headers?: Readonly<Record<string, string>>): Promise<Response>
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

/**
 * Starts the Worker; `variables` are additional secrets or variables. wrangler reads the configuration, but the runtime
 * runs without wrangler's development proxy, whose second runtime would carry every request, and without relaying
 * outgoing requests through this process.
 */
export async function openLiveWorker(
  variables: Readonly<Record<string, string>> = {},
  { directory, scratch = inject('builtWorker') }: Built = {},
): Promise<LiveWorker> {
  const files = runtimeFiles('live-worker')
  const options = await configuredOptions(scratch)
  const { d1Databases } = options
  placeDatabase(files, d1Databases.DB.id, migratedImage())
  placeDatabase(files, d1Databases.POS_LEGACY.id, migratedImage('pos-legacy-vendor'))
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: files,
      cf: false,
      // The log line of each request is part of the service, but nobody reads it here.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          ...options,
          ...modulesIn(directory ?? (await builtWorker(scratch))),
          name: SERVICE,
          bindings: { ...options.bindings, ROOT_SECRET: testRootSecret(), ...variables },
          unsafeDirectSockets: [{}],
        },
        {
          name: DATABASES,
          modules: [{ type: 'ESModule', path: 'index.mjs', contents: DATABASE_WORKER }],
          compatibilityDate: '2026-01-01',
          d1Databases,
          unsafeDirectSockets: [{}],
        },
      ],
    }),
  )
  const databases = databasesAt(await runtime.unsafeGetDirectURL(DATABASES))
  return {
    origin: (await runtime.unsafeGetDirectURL(SERVICE)).origin,
    bindings: { DB: databases.of('DB'), POS_LEGACY: databases.of('POS_LEGACY') },
    ask: async (url, headers = {}) => {
      const response = await runtime.dispatchFetch(url, { headers, redirect: 'manual' })
      return new Response(response.status === 304 ? null : await response.arrayBuffer(), {
        status: response.status,
        headers: Object.fromEntries(response.headers),
      })
    },
    fireCron: () => fireCron(runtime, SERVICE),
    close: async () => {
      databases.close()
      await runtime.dispose()
      rmSync(files, { recursive: true, force: true })
    },
  }
}

/** The names of the two Workers of a runtime: the service, and the one by which tests reach its databases. */
const SERVICE = 'service'
const DATABASES = 'databases'

/** The part of the runtime's options that is read here. All others are passed on unchanged. */
interface ConfiguredOptions {
  readonly bindings: Readonly<Record<string, string>>
  readonly d1Databases: Record<keyof LiveWorker['bindings'], { readonly id: string }>
}

/**
 * The Worker's configuration in `wrangler.toml`, as options of the runtime. It is read once for all processes of a run,
 * because loading wrangler takes a second.
 */
async function configuredOptions(scratch: string): Promise<ConfiguredOptions> {
  const build = async (unfinished: string) => {
    // wrangler reads its environment when it is loaded.
    Object.assign(process.env, wranglerEnvironment(join(tmpdir(), 'live-service')))
    const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
    const { workerOptions } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))
    // Rules say how source files are bundled, but this Worker is built already.
    delete workerOptions.modulesRules
    writeFileSync(unfinished, JSON.stringify(workerOptions))
  }
  const path = await builtOnce('options.json', build, scratch)
  return JSON.parse(readFileSync(path, 'utf8')) as ConfiguredOptions
}

/** The modules of a built Worker, with the entry first. The runtime does not search for the others itself. */
function modulesIn(modulesRoot: string) {
  const paths = readdirSync(modulesRoot, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .sort((left, right) => Number(right === ENTRY) - Number(left === ENTRY))
  const modules = paths.map((path) => ({
    type: 'ESModule' as const,
    path,
    contents: readFileSync(join(modulesRoot, path), 'utf8'),
  }))
  return { modules }
}

/** The entry of a built Worker, which imports the other modules. */
const ENTRY = 'worker.js'

async function seed(database: D1Database): Promise<string> {
  const storage = createD1Storage({ database, clock: systemClock })
  await storage.administration.saveOrganization(newOrganization('acme', 'Acme'))
  const fields = [
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'name', type: 'short_text', label: 'Name' },
    { id: 'choices', type: 'multiple_choice', label: 'Choices', options: [option('a'), option('b')] },
  ]
  await storage
    .tenant('acme')
    .upsert('forms', [
      form('plain', true, fields),
      form('native', true, fields),
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
