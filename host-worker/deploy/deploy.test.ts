import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyAccount, newScript, type CloudflareAccount } from '../../test/support/cloudflare/account.ts'
import { Deployer } from '../../test/support/cloudflare/deployer.ts'
import { projectRoot } from '../local/project.ts'

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

/** The step that ended the deployment; null: none did. */
const failedIn = (output: string) => /^(?:fails|ended) {2}([^:]+): /m.exec(output)?.[1] ?? null

/** Puts lines into the person's file of secrets. */
function keep(...lines: readonly string[]): void {
  const path = person.path(...KEPT)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
}

const CREATIONS = ['d1 create tenant-data-api', 'd1 create pos-legacy-vendor']
const RETIRING: unknown[] = [
  expect.stringMatching(/^d1 execute DB --remote --yes --command DROP INDEX IF EXISTS /),
]
const ALWAYS = ['d1 migrations apply DB --remote', 'd1 migrations apply POS_LEGACY --remote']

/** The commands of wrangler, without the environment. */
const commands = ({ shown }: { readonly shown: readonly (readonly string[])[] }) =>
  shown.map((args) => args.slice(0, -1).join(' '))

test('an empty account gets a service that answers, and a second run finds all of it', async () => {
  const first = await person.run()
  expect(first.output).toContain('https://tenant-data-api.acme.workers.dev serves.')
  expect(first.exitCode).toBe(0)
  const uploading = `deploy --secrets-file ${person.path(...KEPT)}.upload.json`
  expect(commands(first)).toEqual([CREATIONS[0], ALWAYS[0], ...RETIRING, CREATIONS[1], ALWAYS[1], uploading])
  expect(first.output).toContain('Operator key: issued to ada')

  const second = await person.run()
  expect(second.exitCode).toBe(0)
  expect(commands(second)).toEqual([...ALWAYS, uploading])
  expect(second.output).toContain('Operator key: works, in the name of ada (admin)')
  expect(person.madeSecrets).toHaveLength(1)
  expect(second.secretsFiles).toEqual(['{}'])
})

test('what only the version before reads is dropped when the person says so, once the new version answers', async () => {
  await person.run()
  const { exitCode, output, shown } = await person.run(['--retire'])
  expect(exitCode).toBe(0)
  expect(commands({ shown }).slice(-2)).toEqual([expect.stringMatching(/^deploy /), ...RETIRING])
  expect(output).toContain('Version before: has lost what only it reads')
  expect((await person.run()).output).toContain('Version before: can be served again')
})

test('the root secret and the operator key are kept for their user alone, and seen nowhere else', async () => {
  const { output, shown } = await person.run()
  const [secret = ''] = person.madeSecrets
  expect(person.read(...KEPT)).toBe(`ROOT_SECRET=${secret}\n`)
  expect(account.scripts.get('tenant-data-api')?.secrets).toEqual(new Map([['ROOT_SECRET', secret]]))
  for (const path of [person.path(...KEPT), person.path('operator.json')])
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readdirSync(person.path('deployments'))).toEqual(['tenant-data-api.env'])
  const { key } = JSON.parse(person.read('operator.json') ?? '') as { readonly key: string }
  for (const hidden of [secret, key]) {
    expect(output).not.toContain(hidden)
    expect(JSON.stringify(shown)).not.toContain(hidden)
  }
})

describe('a dry run', () => {
  test.each([
    ['without a login', null],
    ['in an empty account', undefined],
  ])('%s says what a first deployment would do, and changes nothing', async (_, token) => {
    const given = token === undefined ? {} : { token }
    const { exitCode, output, shown } = await person.run(['--dry-run'], given)
    expect(exitCode).toBe(0)
    for (const command of [...CREATIONS, ...ALWAYS])
      expect(output).toContain(`would  wrangler ${command} --env=`)
    for (const said of [
      'would make 32 random bytes',
      'would be uploaded with ROOT_SECRET',
      'would issue one with the role admin to ada',
    ])
      expect(output).toContain(said)
    expect(output).toContain('Nothing was changed.')
    expect(account).toEqual(emptyAccount())
    expect(readdirSync(person.directory)).toEqual([])
    expect(shown).toEqual([['deploy', '--dry-run', '--env=']])
  })

  test('of a service that is there leaves only what each deployment does', async () => {
    await person.run()
    const { output } = await person.run(['--dry-run'])
    for (const command of CREATIONS) expect(output).not.toContain(command)
    for (const said of [
      ...ALWAYS,
      'the service has one',
      'would be uploaded with no new secret',
      'works, in the name of ada',
    ])
      expect(output).toContain(said)
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
  expect(commands(await person.run(['--env', 'staging'])).slice(0, 2)).toEqual(ALWAYS)
  expect(new Set(person.madeSecrets).size).toBe(2)
})

describe.each([
  ['Databases', 'd1 create tenant-data-api'],
  ['Databases', 'd1 create pos-legacy-vendor'],
  ['Databases', 'd1 migrations apply DB'],
  ['Databases', 'd1 migrations apply POS_LEGACY'],
  ['Worker', 'deploy'],
])('%s: %s', (step, command) => {
  const isMeant = (args: readonly string[]) => args.join(' ').startsWith(command)

  test('that fails is named, and the next run goes on there', async () => {
    const failed = await person.run([], { fails: isMeant })
    expect([failed.exitCode, failedIn(failed.output)]).toEqual([1, step])
    expect(failed.output).toContain(`wrangler ${command}`)
    expect(failed.output).toContain('Run the same command again')
    expect(failed.shown.some(isMeant)).toBe(true)
    const again = await person.run()
    expect(again.exitCode).toBe(0)
    const created = [...failed.shown.slice(0, -1), ...again.shown].filter(([, verb]) => verb === 'create')
    expect(created.map((args) => args.slice(0, 3).join(' '))).toEqual(CREATIONS)
    expect(person.madeSecrets).toHaveLength(1)
  })

  test('that is interrupted ends there, and the next run goes on', async () => {
    const ended = await person.run([], {
      fails: (args, interrupt) => {
        if (isMeant(args)) interrupt()
        return isMeant(args)
      },
    })
    expect([ended.exitCode, failedIn(ended.output)]).toEqual([130, step])
    expect(ended.output).toContain(`ended  ${step}: interrupted.`)
    expect(readdirSync(person.directory, { recursive: true }).join()).not.toContain('upload')
    expect((await person.run()).exitCode).toBe(0)
    expect(person.madeSecrets).toHaveLength(1)
  })
})

describe('the login', () => {
  test.each([[null], ['a-token-that-is-wrong']])('%j is refused, and nothing is changed', async (token) => {
    const { exitCode, output } = await person.run([], { token })
    expect([exitCode, failedIn(output)]).toEqual([1, 'Login'])
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
    expect([refused.exitCode, failedIn(refused.output)]).toEqual([1, 'Plan'])
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
  test('by another Worker is refused, because wrangler would replace it', async () => {
    account.scripts.set('tenant-data-api', newScript('tenant-data-api'))
    const { exitCode, output } = await person.run()
    expect([exitCode, failedIn(output)]).toEqual([1, 'Address'])
    expect(output).toContain('is not this service')
  })

  test('by another Worker’s domain, or by DNS records, is refused', async () => {
    const configuration = withHost('api.acme.org')
    account.scripts.set('shop', newScript('shop', ['api.acme.org']))
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
    const name = 'tenant-data-api-jobs'
    const consumers = [{ consumer_id: 'c', type: 'worker', script: 'shop' }]
    account.queues.set(name, { queue_id: 'q', queue_name: name, consumers })
    const { exitCode, output, shown } = await person.run()
    expect([exitCode, failedIn(output), shown]).toEqual([1, 'Queue, bucket', []])
    expect(output).toContain('The Worker shop reads the queue')
    consumers.splice(0, 1, { consumer_id: 'c', type: 'worker', script: 'tenant-data-api' })
    expect((await person.run()).exitCode).toBe(0)
  })
})

test.each([
  ['database_name = "pos-legacy-vendor"\n', 'the database POS_LEGACY no database_name'],
  ['[[queues.consumers]]\nqueue = "tenant-data-api-jobs"\n', 'no [[queues.consumers]] for the queue'],
])('a configuration without %j is refused before anything is made', async (lines, problem) => {
  const changed = project.replace(lines, '').replace(/^max_(?:batch|retries).*\n/gm, '')
  const { exitCode, output, shown } = await person.run([], { configuration: changed })
  expect([exitCode, failedIn(output), shown]).toEqual([1, 'Variables', []])
  expect(output).toContain(problem)
})

test('R2 that is not switched on says how to', async () => {
  account.buckets = null
  const { exitCode, output, shown } = await person.run()
  expect([exitCode, failedIn(output), shown]).toEqual([1, 'Queue, bucket', []])
  expect(output).toContain('remove [[r2_buckets]]')
})

test('a host outside the account’s domains is refused', async () => {
  const { output } = await person.run([], { configuration: withHost('api.elsewhere.net') })
  expect(output).toContain('serves no domain that api.elsewhere.net belongs to')
  account.subdomain = null
  expect((await person.run()).output).toContain('no address under workers.dev yet')
})

describe('the root secret', () => {
  test('of a service is never sent again, so that a rotation stays', async () => {
    await person.run()
    account.scripts.get('tenant-data-api')?.secrets.set('ROOT_SECRET', 'rotated')
    const { secretsFiles } = await person.run()
    expect(secretsFiles).toEqual(['{}'])
    expect(account.scripts.get('tenant-data-api')?.secrets.get('ROOT_SECRET')).toBe('rotated')
  })

  test('is not replaced by another one for data that is there', async () => {
    await person.run()
    account.scripts.clear()
    person.remove()
    const refused = await person.run()
    expect([refused.exitCode, failedIn(refused.output)]).toEqual([1, 'Root secret'])
    expect(refused.output).toContain('The database tenant-data-api is there already')
    expect(person.madeSecrets).toHaveLength(1)
    expect((await person.run(['--new-root-secret'])).exitCode).toBe(0)
    expect(person.madeSecrets).toHaveLength(2)
  })

  test('that is no root secret is refused, without showing it', async () => {
    keep('ROOT_SECRET=too-short-to-be-one')
    const { output } = await person.run()
    expect(failedIn(output)).toBe('Variables')
    expect(output).toContain('ROOT_SECRET')
    expect(output).not.toContain('too-short-to-be-one')
  })
})

describe('secrets of providers', () => {
  test('come from the file, are sent with the Worker, and are hidden', async () => {
    keep('RESEND_API_KEY=re_a-secret-$HOME')
    const configuration = project.replaceAll('mail.example.com', 'mail.acme.org')
    const { exitCode, output, secretsFiles } = await person.run([], { configuration })
    expect(exitCode).toBe(0)
    expect(JSON.parse(secretsFiles[0] ?? '')).toMatchObject({ RESEND_API_KEY: 're_a-secret-$HOME' })
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
    expect([never.exitCode, failedIn(never.output)]).toEqual([1, 'Answer'])
    expect(never.output).toContain('530')
  })

  test('because it lacks a variable is not waited for', async () => {
    const error = 'The service is not configured. MAIL_DOMAIN must be the domain of the sender addresses.'
    const { output } = await person.run([], { service: () => Response.json({ error }, { status: 503 }) })
    expect(output).toContain('MAIL_DOMAIN must be')
  })

  test.each(['/api/v1/openapi.json', '/api/v1/contacts', '/assets/reference/reference.js'])(
    'as it should at %s fails, and names the way back',
    async (path) => {
      const { exitCode, output } = await person.run([], {
        service: (asked) => (asked === path ? new Response('broken', { status: 500 }) : null),
      })
      expect([exitCode, failedIn(output)]).toEqual([1, 'Answer'])
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
    expect([failed.exitCode, failedIn(failed.output)]).toEqual([1, 'Operator key'])
    expect(person.read('operator.json')).toBe(null)
    const again = await person.run()
    expect(again.exitCode).toBe(0)
    expect(again.output).toContain('Operator key: issued to ada')
  })

  test('is asked for with the root secret of the service, or the person is told', async () => {
    const { exitCode, output } = await person.run([], { service: refused })
    expect([exitCode, failedIn(output)]).toEqual([1, 'Operator key'])
    expect(output).toContain('has another root secret than')
  })

  test('that was revoked is replaced, wherever it is stored', async () => {
    for (const args of [[], ['--env', 'staging']]) {
      await person.run(args)
      const before = person.read('operator.json')
      let asked = 0
      const once = (path: string) => (path.startsWith('/operator/') && asked++ === 0 ? refused(path) : null)
      const { exitCode, output } = await person.run(args, { service: once })
      expect([exitCode, output.includes('Operator key: issued to ada')]).toEqual([0, true])
      if (args.length === 0) expect(person.read('operator.json')).not.toBe(before)
    }
    expect(person.read('deployments', 'tenant-data-api-staging.env')?.match(/OPERATOR_KEY=/g)).toHaveLength(1)
  })
})

test('an interruption while the service is waited for ends there, with what was done', async () => {
  const ended = await person.run([], {
    service: (_path, interrupt) => {
      interrupt()
      return new Response('', { status: 522 })
    },
  })
  expect([ended.exitCode, failedIn(ended.output)]).toEqual([130, 'Answer'])
  expect((await person.run()).exitCode).toBe(0)
})

test('an operator key is made only by who has the root secret', async () => {
  await person.run()
  writeFileSync(person.path('operator.json'), JSON.stringify({ url: 'https://other.example', key: 'k' }))
  keep()
  const lost = await person.run()
  expect([lost.exitCode, failedIn(lost.output)]).toEqual([1, 'Operator key'])
  expect(lost.output).toContain('operator -- login --url https://tenant-data-api.acme.workers.dev')
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
