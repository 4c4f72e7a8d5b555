import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import { createChecks } from '../../support/runner/checks.ts'
import {
  freePort,
  operateIn,
  operateOrThrow,
  scratchDirectory,
  startService,
  type Operated,
  type StartedService,
} from '../../support/services/started-service.ts'
import { rotateRootSecret } from './rotate-root-secret.ts'

const { check, report, say } = createChecks()

interface Place {
  readonly state: string
  readonly service: StartedService
  /** The operator key that `npm start` created. */
  readonly key: string
}

async function startPlace(): Promise<Place> {
  const state = scratchDirectory()
  const service = await startService({ port: await freePort(), stateDirectory: state })
  return { state, service, key: readStateRecord(state)?.operatorKey ?? '' }
}

/** An empty home: commands must need neither state nor a secret nor a login at the cloud provider. */
const bareHome = scratchDirectory()
const bare = { STATE_DIR: join(bareHome, 'state'), HOME: bareHome, XDG_CONFIG_HOME: bareHome }

/** Runs a command that has only the address and the key of a service. */
function at({ service, key }: Place, ...args: readonly string[]): Promise<Operated> {
  return operateIn(bareHome, bare, ...args, '--url', service.origin, '--key', key)
}

async function printed(place: Place, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await at(place, ...args)
  assert.equal(code, 0, stderr)
  return stdout.trim()
}

async function switching(first: Place, second: Place): Promise<void> {
  await check('one command line works at either service, by --url', async () => {
    for (const [place, name] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      await printed(place, 'org', 'create', '--id', 'acme', '--name', name)
      await printed(place, 'org', 'create', '--id', `only-${name}`, '--name', name)
    }
    assert.match(await printed(first, 'org', 'list'), /^acme {2}first$/m)
    assert.match(await printed(second, 'org', 'list'), /^acme {2}second$/m)
    assert.doesNotMatch(await printed(second, 'org', 'list'), /only-first/)
  })
  await check('a key issued at one is a key there alone', async () => {
    const key = await printed(first, 'key', 'issue', '--org', 'acme')
    assert.equal(await statusOf(first, key), 200)
    assert.equal(await statusOf(second, key), 401)
    assert.match(await printed(first, 'key', 'list', '--org', 'acme'), /active/)
    assert.equal(await printed(second, 'key', 'list', '--org', 'acme'), '')
  })
  await check('the operator key of one is refused by the other, in one sentence', async () => {
    const { code, stdout, stderr } = await at({ ...second, key: first.key }, 'org', 'list')
    assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1])
    assert.match(stderr, /does not accept this operator key/)
  })
  await check('STATE_DIR alone finds the service that runs on it', async () => {
    for (const [{ state }, name] of [
      [first, 'first'],
      [second, 'second'],
    ] as const)
      assert.match(await operateOrThrow(state, 'org', 'list'), new RegExp(`^acme {2}${name}$`, 'm'))
  })
}

async function statusOf({ service }: Place, key: string): Promise<number> {
  const response = await fetch(`${service.origin}/api/v1/contacts?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.text()
  return response.status
}

async function withoutAnything(first: Place): Promise<void> {
  await check('commands by the environment, then by a login', async () => {
    const given = { ...bare, OPERATOR_URL: first.service.origin, OPERATOR_KEY: first.key }
    const listed = await operateIn(bareHome, given, 'org', 'list')
    assert.equal(listed.code, 0, listed.stderr)
    const login = await operateIn(bareHome, given, 'login')
    assert.equal(login.code, 0, login.stderr)
    assert.deepEqual(
      await operateIn(bareHome, bare, 'org', 'list').then(({ stdout }) => stdout),
      listed.stdout,
    )
    assert.equal((await operateIn(bareHome, bare, 'logout')).code, 0)
  })
  await check('an address without a key is an error, and so is a deployment without an address', async () => {
    const keyless = await operateIn(bareHome, { ...bare, OPERATOR_URL: first.service.origin }, 'org', 'list')
    assert.equal(keyless.code, 1)
    assert.match(keyless.stderr, /^There is no operator key for [^\n]*\n$/)
    const remote = await operateIn(bareHome, { ...bare, OPERATOR_KEY: first.key }, 'org', 'list', '--remote')
    assert.equal(remote.code, 1)
    assert.match(remote.stderr, /^wrangler\.toml names no address [^\n]*\n$/)
  })
  await check('no command left anything there', () => {
    assert(!existsSync(bare.STATE_DIR))
    assert.deepEqual(readdirSync(bareHome, { recursive: true }), ['tenant-data-api'])
  })
}

async function ended(first: Place): Promise<void> {
  await check('a service that ended is told from one that runs', async () => {
    await first.service.stop()
    const { code, stderr } = await at(first, 'org', 'list')
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot reach the service at \S+: nothing listens there \(ECONNREFUSED\)\.\n$/)
    const startedAt = performance.now()
    assert.match(await operateOrThrow(first.state, 'org', 'list'), /^acme {2}first$/m)
    say(`        a service of its own, for one command: ${Math.round(performance.now() - startedAt)} ms`)
  })
}

const [first, second] = [await startPlace(), await startPlace()]
await switching(first, second)
await withoutAnything(first)
await ended(first)
await second.service.stop()
await rotateRootSecret(first.state, { check, say })
report()
process.exit()
