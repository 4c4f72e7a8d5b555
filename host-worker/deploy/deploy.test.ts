import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CloudflareAccount, Script } from '../../test/support/cloudflare/account.ts'
import { emptyAccount, newDatabase, newQueue } from '../../test/support/cloudflare/account.ts'
import type { Conditions } from '../../test/support/cloudflare/deployer.ts'
import { Deployer } from '../../test/support/cloudflare/deployer.ts'
import { projectRoot } from '../local/root.ts'

const project = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')
const withHost = (host: string) => `routes = [{ pattern = "${host}", custom_domain = true }]\n${project}`
const KEPT = ['deployments', 'tenant-data-api.env'] as const

let account: CloudflareAccount
let person: Deployer

beforeEach(() => {
  account = emptyAccount()
  person = new Deployer(account, project)
})
afterEach(() => {
  person.remove()
})

const stepsIn = (output: string, mark: string) =>
  [...output.matchAll(/^(\w+) +([^:]+): /gm)].flatMap(([, found, name]) => (found === mark ? [name] : []))

/** Puts lines into the person's file of secrets. */
function keep(...lines: readonly string[]): void {
  const path = person.path(...KEPT)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
}

const CREATED = [
  'Database tenant-data-api',
  'Database pos-legacy-vendor',
  'Queue tenant-data-api-jobs',
  'Bucket tenant-data-api-backups',
  'Root secret',
  'Tables of DB',
  'Tables of POS_LEGACY',
]
const ALWAYS = ['Worker', 'Answer', 'Checks']

test('an empty account gets a service that answers, and a second run finds all of it', async () => {
  const first = await person.run()
  expect(first.output).toContain('https://tenant-data-api.acme.workers.dev serves.')
  expect(first.exitCode).toBe(0)
  expect(stepsIn(first.output, 'done').sort()).toEqual([...CREATED, ...ALWAYS, 'Operator key'].sort())
  expect([...account.databases.keys()]).toEqual(['tenant-data-api', 'pos-legacy-vendor'])
  expect([[...account.queues.keys()], [...account.buckets]]).toEqual([
    ['tenant-data-api-jobs'],
    ['tenant-data-api-backups'],
  ])

  const second = await person.run()
  expect(second.exitCode).toBe(0)
  expect(stepsIn(second.output, 'done').sort()).toEqual([...ALWAYS].sort())
  expect(person.madeSecrets).toHaveLength(1)
  expect(second.wrangler.secretsFiles).toEqual(['{}'])
})

test('the root secret and the operator key are kept for their user alone, and seen nowhere else', async () => {
  const { output, wrangler } = await person.run()
  const [secret = ''] = person.madeSecrets
  expect(person.read(...KEPT)).toBe(`ROOT_SECRET=${secret}\n`)
  expect(account.scripts.get('tenant-data-api')?.secrets).toEqual(new Map([['ROOT_SECRET', secret]]))
  for (const path of [person.path(...KEPT), person.path('operator.json')])
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readdirSync(person.path('deployments'))).toEqual(['tenant-data-api.env'])
  const { key } = JSON.parse(person.read('operator.json') ?? '') as { readonly key: string }
  for (const hidden of [secret, key]) {
    expect(output).not.toContain(hidden)
    expect(JSON.stringify(wrangler.calls)).not.toContain(hidden)
  }
})

describe('a dry run', () => {
  test.each([
    ['without a login', null],
    ['in an empty account', undefined],
  ])('%s says what a first deployment would do, and changes nothing', async (_, token) => {
    const given: Conditions = token === undefined ? {} : { token }
    const { exitCode, output, wrangler } = await person.run(['--dry-run'], given)
    expect(exitCode).toBe(0)
    expect(stepsIn(output, 'would').sort()).toEqual([...CREATED, ...ALWAYS, 'Operator key'].sort())
    expect(output).toContain('Nothing was changed.')
    expect(account).toEqual(emptyAccount())
    expect(readdirSync(person.directory)).toEqual([])
    expect(wrangler.calls.filter(([verb]) => verb === 'deploy')).toEqual([
      ['deploy', '--dry-run', '--outdir', expect.any(String), '--env='],
    ])
  })

  test('of a service that is there leaves only what each deployment does', async () => {
    await person.run()
    const { output } = await person.run(['--dry-run'])
    expect(stepsIn(output, 'would').sort()).toEqual([...ALWAYS].sort())
  })
})

test('staging has a Worker, data, a root secret and a file of its own', async () => {
  await person.run()
  const { exitCode, output } = await person.run(['--env', 'staging'])
  expect(exitCode).toBe(0)
  expect([...account.databases.keys()]).toHaveLength(4)
  expect([...account.scripts.keys()]).toEqual(['tenant-data-api', 'tenant-data-api-staging'])
  expect(new Set(person.madeSecrets).size).toBe(2)
  // The login is of the first deployment, and stays.
  expect(person.read('operator.json')).toContain('https://tenant-data-api.acme.workers.dev')
  expect(person.read('deployments', 'tenant-data-api-staging.env')).toMatch(
    /^ROOT_SECRET=.+\nOPERATOR_KEY=ok_live_.+\n$/,
  )
  expect(output).not.toMatch(/ok_live_/)
  expect(stepsIn((await person.run(['--env', 'staging'])).output, 'done').sort()).toEqual([...ALWAYS].sort())
})

/** Calls of wrangler that change something, by the step that makes them. */
const changes: readonly (readonly [step: string, words: readonly string[]])[] = [
  ['Database tenant-data-api', ['d1', 'create', 'tenant-data-api']],
  ['Database pos-legacy-vendor', ['d1', 'create', 'pos-legacy-vendor']],
  ['Queue tenant-data-api-jobs', ['queues', 'create']],
  ['Bucket tenant-data-api-backups', ['r2', 'bucket', 'create']],
  ['Tables of DB', ['d1', 'migrations', 'apply', 'DB']],
  ['Tables of POS_LEGACY', ['d1', 'migrations', 'apply', 'POS_LEGACY']],
  ['Worker', ['deploy']],
]

describe.each(changes)('%s', (step, words) => {
  const isMeant = (args: readonly string[]) => words.every((word, index) => args[index] === word)

  test('that fails is named with the reason, and the next run goes on there', async () => {
    const failure = { exitCode: 1, stdout: '', stderr: '✘ [ERROR] Something is wrong [code: 1]\n' }
    const failed = await person.run([], { before: (args) => (isMeant(args) ? failure : null) })
    expect(failed.exitCode).toBe(1)
    expect(stepsIn(failed.output, 'fails')).toEqual([step])
    expect(failed.output).toContain('Something is wrong')
    expect(failed.output).toContain('run the same command again')
    const again = await person.run()
    expect(again.exitCode).toBe(0)
    const before = stepsIn(failed.output, 'done')
    expect(stepsIn(again.output, 'done').filter((name) => before.includes(name))).toEqual([])
    expect(person.madeSecrets).toHaveLength(1)
  })

  test('that is interrupted ends there, and the next run goes on', async () => {
    const killed = { exitCode: 1, stdout: '', stderr: '' }
    const ended = await person.run([], {
      before: (args, interrupt) => {
        if (!isMeant(args)) return null
        interrupt()
        return killed
      },
    })
    expect(ended.exitCode).toBe(130)
    expect(stepsIn(ended.output, 'ended')).toEqual([step])
    expect(readdirSync(person.directory, { recursive: true }).join()).not.toContain('upload')
    expect((await person.run()).exitCode).toBe(0)
    expect(person.madeSecrets).toHaveLength(1)
  })
})

describe('the login', () => {
  test.each([[null], ['a-token-that-is-wrong']])('%j is refused, and nothing is changed', async (token) => {
    const { exitCode, output } = await person.run([], { token })
    expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Login']])
    expect(output).toContain('npx wrangler login')
    expect(output).not.toContain('a-token-that-is-wrong')
    expect(account).toEqual(emptyAccount())
  })

  test('must reach the account that is meant', async () => {
    const other = await person.run([], { configuration: `account_id = "${'b'.repeat(32)}"\n${project}` })
    expect(other.output).toContain(`does not reach the account ${'b'.repeat(32)}. It reaches Acme`)
    const own = { configuration: `account_id = "${account.id}"\n${project}` }
    expect((await person.run(['--dry-run'], own)).exitCode).toBe(0)
  })
})

describe('the plan', () => {
  test('of an account without the paid one ends the deployment, unless that is allowed', async () => {
    account.plans = ['free']
    const refused = await person.run()
    expect([refused.exitCode, stepsIn(refused.output, 'fails')]).toEqual([1, ['Plan']])
    expect(account.databases.size).toBe(0)
    const allowed = await person.run(['--free-plan'])
    expect(allowed.exitCode).toBe(0)
    expect(allowed.output).toContain('Forms with a password do not work')
  })

  test('that the login may not read is left to the person', async () => {
    account.plans = null
    const { exitCode, output } = await person.run()
    expect(exitCode).toBe(0)
    expect(output).toContain('- Look whether the account has the paid plan')
  })
})

describe('a name that is taken', () => {
  const stranger = (name: string, domains: readonly string[] = []): Script => ({
    name,
    versions: [],
    history: [],
    secrets: new Map(),
    schedules: [],
    hasSubdomain: true,
    domains,
  })

  test('by another Worker is refused, because wrangler would replace it', async () => {
    account.scripts.set('tenant-data-api', stranger('tenant-data-api'))
    const { exitCode, output } = await person.run()
    expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Address']])
    expect(output).toContain('is not this service')
  })

  test('by another Worker’s domain, or by DNS records, is refused', async () => {
    const configuration = withHost('api.acme.org')
    account.scripts.set('shop', stranger('shop', ['api.acme.org']))
    const owned = await person.run([], { configuration })
    expect(owned.output).toContain('belongs to the Worker shop')
    account.scripts.clear()
    const known = await person.run([], { configuration, resolves: true })
    expect(known.output).toContain('has DNS records already')
    account.hosts = new Set(['api.acme.org'])
    expect((await person.run([], { configuration })).output).toContain('has DNS records already')
    expect(account.databases.size).toBe(0)
    expect((await person.run(['--take-host'], { configuration, resolves: true })).exitCode).toBe(0)
  })

  test('by a queue’s other consumer is refused', async () => {
    const queue = newQueue('tenant-data-api-jobs')
    queue.consumers.push({ consumer_id: 'c', type: 'worker', script: 'shop' })
    account.queues.set('tenant-data-api-jobs', queue)
    const { exitCode, output } = await person.run()
    expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Queue tenant-data-api-jobs']])
    expect(output).toContain('shop')
  })
})

test('a host outside the account’s domains is refused', async () => {
  const { output } = await person.run([], { configuration: withHost('api.elsewhere.net') })
  expect(output).toContain('serves no domain that api.elsewhere.net belongs to')
  account.subdomain = null
  expect((await person.run()).output).toContain('no address under workers.dev yet')
})

test('R2 that is not switched on says how to', async () => {
  account.hasR2 = false
  const { exitCode, output } = await person.run()
  expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Bucket tenant-data-api-backups']])
  expect(output).toContain('remove [[r2_buckets]]')
})

describe('the root secret', () => {
  test('of a service is never sent again, so that a rotation stays', async () => {
    await person.run()
    account.scripts.get('tenant-data-api')?.secrets.set('ROOT_SECRET', 'rotated')
    const { wrangler } = await person.run()
    expect(wrangler.secretsFiles).toEqual(['{}'])
    expect(account.scripts.get('tenant-data-api')?.secrets.get('ROOT_SECRET')).toBe('rotated')
  })

  test('is not replaced by another one for data that is there', async () => {
    await person.run()
    account.scripts.clear()
    person.remove()
    const refused = await person.run()
    expect([refused.exitCode, stepsIn(refused.output, 'fails')]).toEqual([1, ['Root secret']])
    expect(refused.output).toContain('was used before')
    expect(person.madeSecrets).toHaveLength(1)
  })

  test('that is no root secret is refused, without showing it', async () => {
    keep('ROOT_SECRET=too-short-to-be-one')
    const { output } = await person.run()
    expect(stepsIn(output, 'fails')).toEqual(['Root secret'])
    expect(output).not.toContain('too-short-to-be-one')
  })
})

describe('secrets of providers', () => {
  test('come from the file, are sent with the Worker, and are hidden', async () => {
    keep('RESEND_API_KEY=re_a-secret-$HOME')
    const configuration = project.replaceAll('mail.example.com', 'mail.acme.org')
    const { exitCode, output, wrangler } = await person.run([], { configuration })
    expect(exitCode).toBe(0)
    expect(JSON.parse(wrangler.secretsFiles[0] ?? '')).toMatchObject({ RESEND_API_KEY: 're_a-secret-$HOME' })
    expect(output).not.toContain('re_a-secret')
    expect(output).not.toContain('Email: nothing is sent')
  })

  test.each([
    ['RESEND_API_KEY=re_1', 'MAIL_DOMAIN in wrangler.toml is an example'],
    ['RESEND_API_KYE=re_1', 'Did you mean RESEND_API_KEY?'],
    ['TWILIO_ACCOUNT_SID=AC1', 'TWILIO_AUTH_TOKEN is missing'],
    ['LOCAL_MAILBOX=1', 'has a line LOCAL_MAILBOX'],
  ])('%s alone is refused before anything is made', async (line, problem) => {
    keep(line)
    const { exitCode, output } = await person.run()
    expect(exitCode).toBe(1)
    expect(output).toContain(problem)
    expect(account.databases.size).toBe(0)
  })
})

describe('a service that does not answer', () => {
  test('is waited for, and then named', async () => {
    let asked = 0
    const slow = (path: string) =>
      path === '/health' && ++asked < 5 ? new Response('', { status: 522 }) : null
    expect((await person.run([], { service: slow })).exitCode).toBe(0)
    const never = await person.run([], { service: () => new Response('no such host', { status: 530 }) })
    expect([never.exitCode, stepsIn(never.output, 'fails')]).toEqual([1, ['Answer']])
    expect(never.output).toContain('530')
  })

  test('because it lacks a variable is not waited for', async () => {
    const error = 'The service is not configured. MAIL_DOMAIN must be the domain of the sender addresses.'
    const { output } = await person.run([], { service: () => Response.json({ error }, { status: 503 }) })
    expect(output).toContain('MAIL_DOMAIN must be')
  })

  test.each(['/api/v1/openapi.json', '/api/v1/contacts', '/assets/reference/reference.js'])(
    'as it should at %s fails the checks, and names the way back',
    async (path) => {
      const { exitCode, output } = await person.run([], {
        service: (asked) => (asked === path ? new Response('broken', { status: 500 }) : null),
      })
      expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Checks']])
      expect(output).toContain(`${path} answered 500`)
      expect(output).toContain('rollback')
    },
  )
})

describe('the operator key', () => {
  const refused = (path: string) =>
    path.startsWith('/operator/') ? Response.json({ error: 'Unauthorized' }, { status: 401 }) : null
  const broken = (path: string) =>
    path.startsWith('/operator/') ? Response.json({ error: 'Internal' }, { status: 500 }) : null

  test('that cannot be issued ends the deployment, and the next run issues it', async () => {
    const failed = await person.run([], { service: broken })
    expect([failed.exitCode, stepsIn(failed.output, 'fails')]).toEqual([1, ['Operator key']])
    expect(person.read('operator.json')).toBe(null)
    const again = await person.run()
    expect(again.exitCode).toBe(0)
    expect(stepsIn(again.output, 'done')).toContain('Operator key')
  })

  test('is asked for with the root secret of the service, or the person is told', async () => {
    const { exitCode, output } = await person.run([], { service: refused })
    expect([exitCode, stepsIn(output, 'fails')]).toEqual([1, ['Operator key']])
    expect(output).toContain('has another root secret than')
  })

  test('that was revoked is replaced, wherever it is stored', async () => {
    for (const args of [[], ['--env', 'staging']]) {
      await person.run(args)
      const before = person.read('operator.json')
      let asked = 0
      const once = (path: string) => (path.startsWith('/operator/') && asked++ === 0 ? refused(path) : null)
      const { exitCode, output } = await person.run(args, { service: once })
      expect([exitCode, stepsIn(output, 'done').includes('Operator key')]).toEqual([0, true])
      if (args.length === 0) expect(person.read('operator.json')).not.toBe(before)
    }
    expect(person.read('deployments', 'tenant-data-api-staging.env')?.match(/OPERATOR_KEY=/g)).toHaveLength(1)
  })
})

test('an interruption while the service is waited for ends there, with what was done', async () => {
  let interruptLater: (() => void) | null = null
  const ended = await person.run([], {
    before: (_args, interrupt) => {
      interruptLater = interrupt
      return null
    },
    service: () => {
      interruptLater?.()
      return new Response('', { status: 522 })
    },
  })
  expect([ended.exitCode, stepsIn(ended.output, 'ended')]).toEqual([130, ['Answer']])
  expect((await person.run()).exitCode).toBe(0)
})

test('an operator key is made only by who has the root secret', async () => {
  await person.run()
  writeFileSync(person.path('operator.json'), JSON.stringify({ url: 'https://other.example', key: 'k' }))
  keep()
  const lost = await person.run()
  expect([lost.exitCode, stepsIn(lost.output, 'fails')]).toEqual([1, ['Operator key']])
  expect(lost.output).toContain('operator -- login --url https://tenant-data-api.acme.workers.dev')
})

test('the databases of others are not touched', async () => {
  account.databases.set('another', newDatabase('another'))
  await person.run()
  expect(account.databases.get('another')?.sqlite.prepare('SELECT * FROM sqlite_master').all()).toEqual([])
})

test.each([
  [['--dryrun'], 'Did you mean --dry-run?'],
  [['--env'], '--env'],
  [['production'], 'production'],
])('%j is refused with the usage', async (args, problem) => {
  const { exitCode, output } = await person.run(args)
  expect(exitCode).toBe(2)
  expect(output).toContain(problem)
  expect(output).toContain('npm run deploy -- [FLAG…]')
})

test('an environment that is not there is refused', async () => {
  const { exitCode, output } = await person.run(['--env', 'prod'])
  expect([exitCode, output]).toEqual([1, expect.stringContaining('no environment "prod". It has: staging.')])
})
