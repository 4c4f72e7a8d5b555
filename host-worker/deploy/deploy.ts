import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { issueOperatorKeyEndpoint } from '../../domain/operators/operator-keys.ts'
import { getHealth } from '../../domain/operators/service.ts'
import { suggestion } from '../../domain/text/schema-errors.ts'
import { readEnv } from '../env/index.ts'
import { readWranglerFile, projectRoot, type WranglerFile } from '../local/project.ts'
import { writePrivateFile } from '../local/state.ts'
import {
  byKey,
  byRootSecret,
  callService,
  CommandError,
  Refusal,
  type Authorization,
} from '../operator/client/call-service.ts'
import { loginPath, readLogin, writeLogin } from '../operator/client/open-service.ts'
import {
  address,
  hostOf,
  login,
  plan,
  storage,
  flags,
  readOptions,
  KeptSecrets,
  type Deployment,
  type World,
} from './deployment.ts'

const USAGE = `npm run deploy -- [FLAG…]   From a Cloudflare account to a service that answers. It can be run again.

  --dry-run          say what would be done, and change nothing
  --env NAME         a named environment of wrangler.toml, such as staging
  --operator NAME    in whose name the first operator key is issued (default: your user name)
  --free-plan        go on without the paid plan of Workers
  --take-host        take the host of routes, although it has DNS records
  --retire           drop what only the version before reads, when you will not go back to it
  --new-root-secret  make a root secret, although the database belongs to another one`

/** What is done, in this order. Each step says what it found or did, and may be taken again; a dry run changes nothing. */
const steps: readonly (readonly [name: string, take: (deployment: Deployment) => Promise<string>])[] = [
  ['Login', login],
  ['Plan', plan],
  ['Address', address],
  ['Queue, bucket', storage],
  ['Variables', settings],
  ['Root secret', rootSecret],
  ['Databases', databases],
  ['Worker', upload],
  ['Answer', answers],
  ['Operator key', operatorKey],
  ['Version before', retire],
]

/**
 * Deploys the service as the arguments of the command say. The first step that fails ends the deployment, which goes on
 * there when it is run again: a step that was taken finds its work done.
 * @returns the exit code: 0 for success, 1 when a step failed, 2 for wrong arguments, 130 when it was interrupted
 */
export async function deploy(args: readonly string[], world: World): Promise<number> {
  const { note } = world
  let options: Deployment['options']
  try {
    options = readOptions(args)
  } catch (error) {
    const { message } = error as Error
    const [, named = ''] = /'(-[^' ]+)/.exec(message) ?? []
    const known = Object.keys(flags).map((name) => `--${name}`)
    note(`${message.split('. ')[0] ?? message}.${suggestion(named, known)}\n\n${USAGE}`)
    return 2
  }
  if (options.help) {
    note(USAGE)
    return 0
  }
  let file: WranglerFile
  try {
    file = readWranglerFile(world.configuration(), options.env ?? null)
  } catch (error) {
    note(`fails  Configuration: wrangler.toml cannot be read. ${(error as Error).message}`)
    return 1
  }
  const kept = new KeptSecrets(file.name, world.environment)
  const deployment: Deployment = {
    world,
    options,
    file,
    kept,
    account: null,
    url: '',
    served: [],
    remarks: [],
  }
  for (const [name, take] of steps)
    try {
      note(`${name}: ${await take(deployment)}`)
      world.interrupted.throwIfAborted()
    } catch (error) {
      const again = 'Run the same command again: it goes on here.'
      if (world.interrupted.aborted) note(`ended  ${name}: interrupted. ${again}`)
      else note(`fails  ${name}: ${kept.hidden((error as Error).message)}\n       ${again}`)
      return world.interrupted.aborted ? 130 : 1
    }
  const done = options['dry-run']
    ? 'Nothing was changed. Afterwards this is'
    : `${deployment.url} serves. This is`
  note(`\n${done} left to you:`)
  for (const each of leftToAPerson(deployment)) note(`- ${each}`)
  return 0
}

/** A binding that has every method that the service looks for. */
const anyBinding = new Proxy({}, { get: () => () => undefined })

/** Checks variables and secrets by the service's own rules, before it is uploaded and would refuse to serve. */
async function settings({ file, kept, served, remarks }: Deployment): Promise<string> {
  const provided = kept.provided()
  const given: Readonly<Record<string, unknown>> = { ...file.vars, ...provided }
  const bindings = [...file.d1_databases, ...file.r2_buckets, ...file.queues.producers].map(
    ({ binding }) => binding,
  )
  const bound = [...bindings, ...file.durable_objects.bindings.map(({ name }) => name)]
  const reading = readEnv({
    ...given,
    ...Object.fromEntries(bound.map((name) => [name, anyBinding])),
    ROOT_SECRET: kept.get('ROOT_SECRET') ?? 'A'.repeat(43),
  })
  // What the service has already is not known here, so problems with it are left to the service.
  const problems = (reading.ok ? [] : reading.problems).filter(
    (said) => !served.some((name) => said.includes(name)),
  )
  problems.push(...kept.problems())
  for (const name of Object.keys(provided))
    if (name in file.vars) problems.push(`${name} is in [vars] of wrangler.toml and in the file of secrets`)
  for (const { binding, database_name: name } of file.d1_databases)
    if (name === undefined) problems.push(`wrangler.toml gives the database ${binding} no database_name`)
  for (const { queue } of file.queues.producers)
    if (!file.queues.consumers.some((consumer) => consumer.queue === queue))
      problems.push(
        `wrangler.toml has no [[queues.consumers]] for the queue ${queue}, so nothing would read it`,
      )
  const hasEmail = 'RESEND_API_KEY' in given || served.includes('RESEND_API_KEY')
  if (hasEmail && /(?:^|\.)example\.(?:com|net|org)$/.test(String(file.vars.MAIL_DOMAIN)))
    problems.push('MAIL_DOMAIN in wrangler.toml is an example: put your sender domain there')
  if (problems.length > 0)
    throw new Error(`${problems.join('. ')}. Correct that in wrangler.toml, or in ${kept.path}.`)
  if (!hasEmail)
    remarks.push(
      `Email: nothing is sent before RESEND_API_KEY is there. Put the line RESEND_API_KEY=… into ${kept.path}, set MAIL_DOMAIN and PLATFORM_BRAND in wrangler.toml, and deploy again. Text messages need the TWILIO_ lines.`,
    )
  const names = new Set([...Object.keys(provided), ...served.filter((name) => name !== 'ROOT_SECRET')])
  return names.size === 0 ? 'good; no provider is configured' : `good, with ${[...names].sort().join(', ')}`
}

/**
 * Makes the root secret, unless the service has one, and keeps the copy before there is anything that it belongs to: when
 * the deployment is interrupted, the next one goes on with the same secret.
 */
async function rootSecret(deployment: Deployment): Promise<string> {
  const { file, kept, options, served, world } = deployment
  const own = kept.get('ROOT_SECRET')
  const copy = own === null ? 'no copy is on this machine' : `a copy is in ${kept.path}`
  if (served.includes('ROOT_SECRET')) return `the service has one; ${copy}`
  if (own !== null) return `kept in ${kept.path}`
  const database = file.d1_databases.find(({ binding }) => binding === 'DB')?.database_name ?? ''
  if ((await isThere(deployment, database)) && !options['new-root-secret'])
    throw new Error(
      `The database ${database} is there already, and the root secret of the service that used it is neither there nor in ${kept.path}. With another one, its keys and form passwords do not work. Put the line ROOT_SECRET=… into ${kept.path}, or give --new-root-secret when nothing of that service is needed.`,
    )
  if (options['dry-run'])
    return `would make 32 random bytes, and keep the copy in ${kept.path}, which only you can read`
  kept.keep('ROOT_SECRET', world.newRootSecret())
  return `made. The copy is in ${kept.path}: keep it in your password manager too. Nobody can read it from the service`
}

async function isThere({ account }: Deployment, database: string): Promise<boolean> {
  return (await account?.get(`d1/database/${encodeURIComponent(database)}`, v.unknown())) != null
}

/** Creates the databases that are missing, and their tables, which the new Worker needs. */
async function databases(deployment: Deployment): Promise<string> {
  const { d1_databases: wanted } = deployment.file
  for (const { binding, database_name: name = '', migrations_dir: folder } of wanted) {
    const isNew = !(await isThere(deployment, name))
    if (isNew) await change(deployment, ['d1', 'create', name])
    if (folder !== undefined) await change(deployment, ['d1', 'migrations', 'apply', binding, '--remote'])
    // No earlier version has used it, and the next one will not be uploaded before this one.
    if (isNew && binding === 'DB') await dropRetired(deployment)
  }
  return wanted.map(({ database_name: name }) => name).join(', ')
}

/**
 * Drops what the version before this one reads and this one does not, once the person says that the service will not go
 * back to it. Until then the version before can be served again at any time.
 */
async function retire(deployment: Deployment): Promise<string> {
  if (!deployment.options.retire) return 'can be served again. --retire drops what only it reads'
  await dropRetired(deployment)
  return 'has lost what only it reads'
}

/**
 * Runs the statements of `migrations/retired`, which find nothing to do when they have been run before. They are given as
 * a text, because while D1 imports a file, the database answers nobody.
 */
async function dropRetired(deployment: Deployment): Promise<void> {
  for (const name of readdirSync(join(projectRoot, RETIRED)).sort()) {
    const text = readFileSync(join(projectRoot, RETIRED, name), 'utf8')
    const statements = text.replaceAll(/^--.*$/gm, '').trim()
    const args = ['d1', 'execute', 'DB', '--remote', '--yes', '--command']
    await change(deployment, [...args, statements], [...args, `the statements of ${RETIRED}/${name}`])
  }
}

const RETIRED = 'adapters/sqlite/migrations/retired'

/**
 * Runs wrangler for the environment of a deployment, and shows it; a dry run only says what would be run.
 * @param said what the person is told of the arguments
 */
async function change(
  { world, options }: Deployment,
  args: readonly string[],
  said: readonly string[] = args,
): Promise<void> {
  const environment = `--env=${options.env ?? ''}`
  const isTried = options['dry-run'] && !args.includes('--dry-run')
  world.note(`${isTried ? 'would  ' : '$ '}wrangler ${[...said, environment].join(' ')}`)
  if (isTried) return
  const { exitCode } = await world.wrangler([...args, environment], 'show')
  if (exitCode !== 0) throw new Error(`wrangler ${args.slice(0, 3).join(' ')} failed. It says why above.`)
}

/**
 * Builds the Worker and uploads it with its secrets, in one version; wrangler makes the queues and buckets that are
 * missing. The root secret is sent only where the service has none, because it may have been rotated since.
 */
async function upload(deployment: Deployment): Promise<string> {
  const { kept, options, served } = deployment
  const root = served.includes('ROOT_SECRET') ? {} : { ROOT_SECRET: kept.get('ROOT_SECRET') }
  const secrets = { ...root, ...kept.provided() }
  const named = Object.keys(secrets).join(', ') || 'no new secret'
  if (options['dry-run']) {
    await change(deployment, ['deploy', '--dry-run'])
    return `would be uploaded with ${named}`
  }
  const path = `${kept.path}.upload.json`
  try {
    // A file, because other users of the machine can read what stands on a command line. As JSON, because wrangler
    // would replace a $NAME in a line of the other form.
    writePrivateFile(path, JSON.stringify(secrets))
    await change(deployment, ['deploy', '--secrets-file', path])
  } finally {
    rmSync(path, { force: true })
  }
  return `is uploaded with ${named}`
}

/** A request by which a deployment is checked, and the answer to expect. */
interface Probe {
  readonly path: string
  readonly init?: RequestInit
  readonly status: number
  readonly body: RegExp
}

const health: Probe = { path: '/health', status: 200, body: /"ok"/ }

/** A handful of questions, one for each part that could be missing. */
const probes: readonly Probe[] = [
  { path: '/api/v1/openapi.json', status: 200, body: /"openapi":\s*"3\.1/ },
  { path: '/api/v1/contacts', status: 401, body: /"error"/ },
  {
    path: '/api/forms/no-such-form/submissions',
    init: { method: 'POST', body: new URLSearchParams({ email: 'nobody@example.com' }) },
    status: 404,
    body: /"not_found"|"error"|"code"/,
  },
  { path: '/assets/reference/reference.js', status: 200, body: /./ },
]

const ANSWERS_WITHIN_MS = 5 * 60_000

/** Waits until the service answers, because a new host needs a certificate first, and then checks what it answers. */
async function answers(deployment: Deployment): Promise<string> {
  const { url, options, world } = deployment
  const asked = [health, ...probes].map(({ path }) => path).join(', ')
  if (options['dry-run']) return `would be waited for, at ${url}, and asked for ${asked}`
  const startedMs = world.clock.nowMs()
  for (;;) {
    const problem = await problemOf(deployment, health)
    if (problem === null) break
    // A service that says what it lacks does not get it by waiting.
    if (world.clock.nowMs() - startedMs > ANSWERS_WITHIN_MS || problem.includes('not configured'))
      throw new Error(
        `${url} does not answer as it should: ${problem}. A new host can take longer than that. If it goes on, "npx wrangler tail" shows what the service says.`,
      )
    await world.pause(3_000)
    world.interrupted.throwIfAborted()
  }
  const found = await Promise.all(probes.map((probe) => problemOf(deployment, probe)))
  const problems = found.filter((problem) => problem !== null)
  if (problems.length === 0) return `${asked} are as they should be`
  throw new Error(
    `${problems.join('. ')}. "npx wrangler tail" shows what the service says; "npx wrangler rollback" brings the version before back.`,
  )
}

/** What is wrong with the answer to a request; null: nothing. */
async function problemOf(
  { url, world }: Deployment,
  { path, init, status, body }: Probe,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(30_000)
    const response = await world.reach(new Request(`${url}${path}`, { ...init, signal }))
    const text = await response.text()
    if (response.status === status && body.test(text)) return null
    return `${path} answered ${response.status}: ${text.slice(0, 300)}`
  } catch (error) {
    const { cause, message } = error as Error
    return `${path} was not answered (${cause instanceof Error ? cause.message : message})`
  }
}

/**
 * Issues the first operator key with a proof of the root secret, and stores it as `operator login` does. When this user
 * is logged in to another service, the key is kept beside the root secret instead.
 */
async function operatorKey({ account, kept, options, url, world }: Deployment): Promise<string> {
  const { clock, environment, reach } = world
  const service = (authorization: Authorization) =>
    callService({ url, stateDirectory: null, authorization, reach })
  const path = loginPath(environment)
  const stored = readLogin(path)
  const key = stored?.url === url ? stored.key : kept.get('OPERATOR_KEY')
  if (key !== null && account !== null)
    try {
      const health = await service(byKey(key)).call(getHealth)
      return `works, in the name of ${health.operator} (${health.role})`
    } catch (error) {
      // A key that was revoked or ended is replaced. In a dry run, the service of an earlier deployment may be gone.
      if (!isRefused(error) && !(options['dry-run'] && error instanceof CommandError)) throw error
    }
  const operator = options.operator ?? world.userName()
  const isLogin = stored === null || stored.url === url
  const store = isLogin ? path : kept.path
  if (options['dry-run'])
    return `would issue one with the role admin to ${operator}, and store it in ${store}`
  const root = kept.get('ROOT_SECRET')
  if (root === null)
    throw new Error(
      `There is no operator key for ${url} on this machine, and the root secret that could make one is not in ${kept.path}. Log in with a key that you have ("npm run operator -- login --url ${url}"), or put the line ROOT_SECRET=… into ${kept.path}.`,
    )
  const { key: issued } = await service(byRootSecret(root, clock))
    .call(issueOperatorKeyEndpoint, { body: { operator, role: 'admin' } })
    .catch((error: unknown) => {
      if (!isRefused(error)) throw error
      throw new Error(
        `The service at ${url} has another root secret than ${kept.path}, or the clock of this machine is minutes off. Put the root secret of the service into that file: a rotation has changed it.`,
      )
    })
  if (isLogin) writeLogin(path, { url, key: issued })
  else kept.keep('OPERATOR_KEY', issued)
  return `issued to ${operator} and stored in ${store}`
}

/** Whether the service does not accept the key, or the proof. */
function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401
}

/** What a deployment cannot do by itself, in the order of its urgency. */
function leftToAPerson({ file, url, kept, remarks }: Deployment): readonly string[] {
  const { MAIL_DOMAIN: given, BACKUP_RECIPIENT: recipient = '' } = file.vars
  const host = hostOf(file)
  const domain = typeof given === 'string' ? given : 'your sender domain'
  const areBackupsPlain = file.r2_buckets.some(({ binding }) => binding === 'BACKUPS') && recipient === ''
  return [
    `Root secret: put the copy from ${kept.path} into your password manager. Whoever has it can make operator keys.`,
    ...remarks,
    `Sender domain: at Resend, add ${domain} and copy the records that it shows (SPF and DKIM) into its DNS, with a TXT record _dmarc.${domain} of "v=DMARC1; p=none". Send one email to yourself, and raise p later.`,
    host === null
      ? 'Address: workers.dev is for a trial. Set routes and workers_dev in wrangler.toml and deploy again, so that the rules of a domain of yours cover it.'
      : `Rate limit: in the zone of ${host}, add a WAF rate limiting rule for POST requests whose path begins with /api/forms/, by client address. Switch on "Always Use HTTPS" and HSTS.`,
    `Uptime check: ask ${url}/health every minute, and expect 200 with {"status":"ok"}.`,
    'Alerts: for errors of the Worker (Notifications in the dashboard), for the size of the database well below 10 GB, and for spending at the providers.',
    ...(areBackupsPlain
      ? [
          'Backups: they are not encrypted, so whoever reads the bucket reads them. Make a key with age-keygen, keep its secret part outside Cloudflare, and set its public part (age1…) as BACKUP_RECIPIENT in [vars].',
        ]
      : []),
  ]
}
