import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStateRecord } from '../../../host-worker/local/state.ts'
import type { Checks } from '../../support/runner/checks.ts'
import {
  freePort,
  operate,
  operateOrThrow,
  startService,
  type StartedService,
} from '../../support/services/started-service.ts'

interface Counts {
  readonly keys: number
  readonly formPasswords: number
}

const NONE: Counts = { keys: 0, formPasswords: 0 }

/**
 * Rotates the root secret of a local service from start to end, as its manual says: sets both secrets, uses everything,
 * then removes the previous secret.
 */
export async function rotateRootSecret(
  state: string,
  { check, say }: Pick<Checks, 'check' | 'say'>,
): Promise<void> {
  const path = join(state, 'secrets.env')
  const root = /^ROOT_SECRET=(\S+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
  const next = randomBytes(32).toString('base64url')
  const forgotten = await operateOrThrow(state, 'key', 'issue', '--org', 'demo', '--label', 'forgotten')
  const start = async () => startService({ port: await freePort(), stateDirectory: state })
  const status = async () =>
    JSON.parse(await operateOrThrow(state, 'secrets', 'status')) as Record<'current' | 'previous', Counts>
  let before: Counts = NONE

  await check('before a rotation, nothing is under a previous root secret', async () => {
    const { current, previous } = await status()
    assert.deepEqual(previous, NONE)
    assert(current.keys > 4 && current.formPasswords > 0, JSON.stringify(current))
    before = current
  })

  writeFileSync(path, `ROOT_SECRET=${next}\nROOT_SECRET_PREVIOUS=${root}\n`)
  const during = await start()
  await check('with both, every key and password works, and what is used moves', async () => {
    const { previous } = await status()
    assert(previous.keys > 0 && previous.formPasswords > 0, JSON.stringify(previous))
    for (const key of demoKeys(state)) assert.equal(await statusOf(during, key), 200)
    assert.equal(await submit(during), 200)
  })
  await check('what nobody used is named, and replaced: the count reaches zero', async () => {
    const { stderr } = await operate(state, 'secrets', 'status')
    say(stderr.replaceAll(/^/gm, '        ').trimEnd())
    const unused = [...stderr.matchAll(/^Under the previous root secret: key (\w+) /gm)].map(
      ([, id = '']) => id,
    )
    assert(unused.length > 0, stderr)
    for (const keyId of unused) await operateOrThrow(state, 'key', 'revoke', keyId)
    const { current, previous } = await status()
    assert.deepEqual(previous, NONE)
    assert.deepEqual(current, { ...before, keys: before.keys - unused.length })
  })
  await during.stop()

  writeFileSync(path, `ROOT_SECRET=${next}\n`)
  const after = await start()
  await check('after the rotation, what was used works, and nothing is lost', async () => {
    const { code, stderr } = await operate(state, 'secrets', 'status')
    assert.deepEqual([code, stderr], [0, ''])
    for (const key of demoKeys(state)) assert.equal(await statusOf(after, key), 200)
    assert.equal(await submit(after), 200)
    assert.equal(await statusOf(after, forgotten), 401)
  })
  await after.stop()
}

/** The keys that a local start keeps for its demo organizations. */
function demoKeys(state: string): readonly string[] {
  const keys = [...(readStateRecord(state)?.demoKeys.values() ?? [])]
  assert(keys.length > 0, 'the state has keys of the demo')
  return keys
}

async function statusOf({ origin }: StartedService, key: string): Promise<number> {
  const response = await fetch(`${origin}/api/v1/sites?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.text()
  return response.status
}

/** Submits the demo's form that has a password. */
async function submit({ origin }: StartedService): Promise<number> {
  const response = await fetch(`${origin}/api/forms/demo-members/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', _password: 'sparkle', email: 'ada@example.com' }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return response.status
}
