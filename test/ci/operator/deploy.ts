import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { addDatabase, type Database } from '../../support/cloudflare/account.ts'
import { openRehearsal, type Ran } from '../../support/cloudflare/rehearsal.ts'
import { createChecks } from '../../support/runner/checks.ts'
import { signalGroup } from '../../support/services/started-service.ts'

/**
 * Deploys with the real command and the real wrangler into an account that is a stand-in on this machine. readme.ts runs
 * the commands of the manual there; here they are refused and interrupted. What only Cloudflare has cannot be tried:
 * regions, certificates, its limits.
 */
const { check, say, report } = createChecks()
const rehearsal = await openRehearsal(projectRoot)
const { account, cloudflare } = rehearsal
const kept = join(rehearsal.home, 'tenant-data-api', 'deployments', 'tenant-data-api.env')

/** A database of somebody else, which is not touched. */
const another = addDatabase(account, 'another')
const tablesOf = ({ sqlite }: Database) => sqlite.prepare('SELECT name FROM sqlite_master').all()

/** The root secret in the person's file; null: there is none yet. */
function keptSecret(): string | null {
  return existsSync(kept) ? (/^ROOT_SECRET=(.+)$/m.exec(readFileSync(kept, 'utf8'))?.[1] ?? null) : null
}

/** Whether the secret stands in the arguments of any process of this machine, for as long as `work` runs. */
async function seenInArguments(work: () => Promise<void>): Promise<boolean> {
  let isSeen = false
  const look = setInterval(() => {
    const secret = keptSecret()
    isSeen ||= secret !== null && processArguments().some((args) => args.includes(secret))
  }, 50)
  try {
    await work()
  } finally {
    clearInterval(look)
  }
  return isSeen
}

function processArguments(): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map((id) => {
    try {
      return readFileSync(join('/proc', id, 'cmdline'), 'utf8')
    } catch {
      return ''
    }
  })
}

await check('a wrong token is refused, and nothing is made', async () => {
  const { exitCode, output } = await rehearsal.run('npm run -s deploy', { token: 'a-token-that-is-wrong' })
  assert.equal(exitCode, 1, output)
  assert.match(output, /fails {2}Login: /)
  assert.deepEqual([output.includes('a-token-that-is-wrong'), account.databases.size], [false, 1])
})

await check('Ctrl-C while a queue is made ends there', async () => {
  let group = 0
  cloudflare.treat = ({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/queues')) return null
    signalGroup(group, 'SIGINT')
    return 'silence'
  }
  const { exitCode, output } = await rehearsal.run('exec npm run -s deploy', {
    started: (id) => (group = id),
  })
  cloudflare.treat = () => null
  assert.match(output, /Successfully created DB 'pos-legacy-vendor'/)
  assert.match(output, /ended {2}Worker: interrupted/)
  assert.deepEqual([account.scripts.size, existsSync(`${kept}.upload.json`)], [0, false])
  assert.notEqual(exitCode, 0)
})

await check('the next run goes on there, and nobody sees the root secret', async () => {
  let ran: Ran = { exitCode: null, output: '' }
  const startedMs = Date.now()
  const isSeen = await seenInArguments(async () => {
    ran = await rehearsal.run('npm run -s deploy')
  })
  const { exitCode, output } = ran
  assert.equal(exitCode, 0, output)
  say(`deployed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  assert.doesNotMatch(output, /Successfully created DB/)
  assert.match(output, /No migrations to apply/)
  assert.match(output, /Answer: .*as they should be/)
  assert.deepEqual(tablesOf(another), [])
  assert.notDeepEqual(tablesOf(account.databases.get('tenant-data-api') ?? another), [])
  const secret = keptSecret() ?? ''
  const script = account.scripts.get('tenant-data-api')
  assert.equal(script?.secrets.get('ROOT_SECRET'), secret)
  assert.deepEqual([isSeen, output.includes(secret), output.includes('ok_live_')], [false, false, false])
  assert.equal(statSync(kept).mode & 0o777, 0o600)
  assert.deepEqual(script.schedules, [{ cron: '* * * * *' }])
  const queue = account.queues.get('tenant-data-api-jobs')
  assert.deepEqual(
    queue?.consumers.map((consumer) => consumer.script),
    ['tenant-data-api'],
  )
})

await rehearsal.close()
report()
process.exit()
