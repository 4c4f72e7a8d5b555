import type { D1Database } from '@cloudflare/workers-types'
import { createExecutor } from '../../adapters/d1/executor.ts'
import { splitStatements, type Migration } from '../../adapters/sqlite/migration.ts'
import { migrationTexts } from '../../adapters/durable-object/object/migration-texts.ts'
import { createMailbox, mailboxTables, type Mailbox } from '../../adapters/local/index.ts'
import { rootSecretProblem } from '../../domain/access/secrets.ts'
import { toBase64Url } from '../../domain/text/encoding.ts'
import { isLoopbackHost, isLoopbackName } from '../../domain/text/http.ts'
import { LOCAL_PROVIDERS, type LocalBindings } from '../env/index.ts'
import { systemClock, systemRandom } from '../system.ts'
import type { Lifetime } from '../wiring/opening.ts'
import { openKept, type Kept } from './kept.ts'

/** What the local runtime passes to the Worker. */
export interface Given extends Readonly<Record<string, unknown>> {
  readonly DB: D1Database
  readonly POS_LEGACY?: D1Database
  /** Left out: one is made, and kept with the state. A given one is kept too. */
  readonly ROOT_SECRET?: string
  /** `no`: the state gets no demo, because the service runs for an operator command alone. */
  readonly LOCAL_DEMO?: string
  /** The static files, where the runtime leaves it to the Worker to refuse them. */
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
}

/** A local state that is ready to be served. */
export interface Prepared {
  readonly bindings: Given & LocalBindings
  readonly kept: Kept
  readonly mailbox: Mailbox
  readonly rootSecret: string
  readonly hasDemo: boolean
}

/** Why a local state cannot be served, as a sentence. */
export class PreparationFailure extends Error {}

/** The state, once it is prepared in this isolate. */
let prepared: Prepared | null = null
let isPreparing = false

/** The same bindings for the same given ones, because the Worker remembers by them what it has checked. */
const completed = new WeakMap<Given, Prepared>()

const POLL_MS = 50

/**
 * The prepared state: its root secret, migrated databases, and the demo. The first request of an isolate prepares it,
 * and others wait, each with a timer of its own, because a request cannot wait for the work of another one.
 * @param on `known state`: rejects unless a request from this machine has prepared the state before
 */
export async function preparedFor(
  given: Given,
  lifetime: Lifetime,
  on: 'any state' | 'known state' = 'any state',
): Promise<Prepared> {
  while (prepared === null) {
    if (isPreparing) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      continue
    }
    isPreparing = true
    const preparing = prepare(given, lifetime, on)
      .then((ready) => {
        prepared = ready
      }, failWithSentence)
      .finally(() => {
        isPreparing = false
      })
    // It goes on when whoever asked does not wait.
    lifetime.waitUntil(preparing.catch(() => undefined))
    await preparing
  }
  const known = completed.get(given)
  if (known !== undefined) return known
  const complete = { ...prepared, bindings: completedBindings(given, prepared) }
  completed.set(given, complete)
  return complete
}

/** What the runtime passed, with what the state adds to it. */
function completedBindings(given: Given, { rootSecret, mailbox }: Pick<Prepared, 'rootSecret' | 'mailbox'>) {
  return { ...given, ROOT_SECRET: rootSecret, [LOCAL_PROVIDERS]: mailbox }
}

function failWithSentence(error: unknown): never {
  if (error instanceof PreparationFailure) throw error
  console.error(error)
  throw new PreparationFailure(`The local state cannot be prepared: ${String(error)}`)
}

/** Prepares a state, or takes up where an earlier start was interrupted: see `preparedFor`. */
export async function prepare(
  given: Given,
  lifetime: Lifetime,
  on: 'any state' | 'known state' = 'any state',
): Promise<Prepared> {
  const kept = await openKept(given.DB)
  if (on === 'known state' && (await kept.read('root-secret')) === null)
    throw new PreparationFailure(
      'This is no local start: no request from this machine has prepared its state.',
    )
  const rootSecret = await keptSecret(given.ROOT_SECRET ?? '', kept)
  const mailbox = createMailbox(createExecutor({ database: given.DB, clock: systemClock }), systemClock)
  await migrate(given.DB, migrationTexts())
  // Its statements make what is missing.
  await given.DB.batch(mailboxTables.map((sql) => given.DB.prepare(sql)))
  if (given.POS_LEGACY !== undefined) {
    const { legacyMigrations } = await import('../bundle/local-texts.mjs')
    await migrate(given.POS_LEGACY, legacyMigrations())
  }
  const bindings = completedBindings(given, { rootSecret, mailbox })
  const hasDemo = given.LOCAL_DEMO !== 'no'
  if (hasDemo) {
    const { prepareDemo } = await import('./demo/seed.ts')
    await prepareDemo(bindings, kept, lifetime)
  }
  return { bindings, kept, mailbox, rootSecret, hasDemo }
}

/** The root secret of the state: the given one, else the one that is kept, else a new one. */
async function keptSecret(given: string, kept: Kept): Promise<string> {
  const problem = given === '' ? null : rootSecretProblem(given)
  if (problem !== null) throw new PreparationFailure(`The service is not configured. ROOT_SECRET ${problem}.`)
  const known = await kept.read('root-secret')
  if (known !== null && (given === '' || given === known)) return known
  await kept.write('root-secret', given === '' ? toBase64Url(systemRandom.bytes(32)) : given)
  return (await kept.read('root-secret')) ?? ''
}

/** wrangler's own record of applied migrations, so that its commands and this agree on them. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** Applies the missing migrations of a database in order, each in one transaction. */
async function migrate(database: D1Database, migrations: readonly Migration[]): Promise<void> {
  const answers = await database.batch<{ readonly name: string }>([
    database.prepare(CREATE_RECORD),
    database.prepare('SELECT name FROM d1_migrations'),
  ])
  const applied = (answers[1]?.results ?? []).map(({ name }) => name)
  const unknown = applied.find(
    (name) => !/^local_/.test(name) && !migrations.some((each) => each.name === name),
  )
  if (unknown !== undefined)
    throw new PreparationFailure(
      `These local databases are of another version of the service, which has the migration ${unknown}. Use another directory (STATE_DIR, --persist-to), or remove this one.`,
    )
  for (const { name, sql } of migrations.filter((each) => !applied.includes(each.name)))
    await database.batch([
      ...splitStatements(sql).map((statement) => database.prepare(statement)),
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
}

let isAddressRecorded = false

/** Notes where the state is served, so that operator commands find the service. */
export function recordAddress({ origin }: URL, { kept, hasDemo }: Prepared, lifetime: Lifetime): void {
  if (isAddressRecorded || !hasDemo) return
  isAddressRecorded = true
  lifetime.waitUntil(kept.write('address', origin))
}

/**
 * Refuses a request to a local start under any name but those of this machine. A page in the developer's browser may
 * have a name that its owner lets lead to 127.0.0.1 (DNS rebinding); to the browser this service would then belong to
 * that page, which could read the mailbox and the key on the start page. Only `Host` counts, and the host of the
 * request's target: a page can set every other header. Null: the request is from this machine.
 */
export function refuseStranger(request: Request, url: URL): Response | null {
  if (isLoopbackHost(request.headers.get('host')) && isLoopbackName(url.hostname)) return null
  const error =
    'A local start answers only requests to localhost, 127.0.0.1 or [::1]. When wrangler.toml has routes, wrangler dev gives every request the name of the first one: use npm start.'
  return Response.json({ error }, { status: 403 })
}
