import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { readBackupName } from '../../../domain/whole/backup/names.ts'
import { createChecks } from '../../support/runner/checks.ts'
import {
  freePort,
  operate,
  operateOrThrow,
  scratchDirectory,
  startService,
} from '../../support/services/started-service.ts'

const { check, report, say } = createChecks()
const state = scratchDirectory()
const kept = scratchDirectory()
const [plain, sealed, again] = [join(kept, 'plain'), join(kept, 'sealed'), join(kept, 'again')]
const keyFile = join(kept, 'key.txt')

/** The archives in a folder, by their organizations. */
function archivesIn(folder: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(folder).map((name) => [readBackupName(name)?.organizationId ?? name, join(folder, name)]),
  )
}

/** The organizations whose backups a command prints, one a line. */
function organizationsOf(printed: string): readonly string[] {
  const named = printed.split('\n').map((line) => readBackupName(line.split('  ')[0] ?? '')?.organizationId)
  return [...new Set(named.map(String))].sort()
}

const service = await startService({ port: await freePort(), stateDirectory: state })
const organizations = (await operateOrThrow(state, 'org', 'list'))
  .split('\n')
  .map((line) => line.split(' ')[0] ?? '')

await check('every organization is backed up in the bucket of the service, and reads back', async () => {
  const ran = await operateOrThrow(state, 'backup', 'run')
  assert.deepEqual(organizationsOf(ran), [...organizations].sort())
  // The service may have made backups of its own meanwhile.
  assert.deepEqual(
    organizationsOf(await operateOrThrow(state, 'backup', 'verify')),
    [...organizations].sort(),
  )
  say(ran)
})

await check('and in a folder, plain and encrypted', async () => {
  const identity = await generateX25519Identity()
  writeFileSync(keyFile, identity)
  await operateOrThrow(state, 'backup', 'run', '--to', plain)
  await operateOrThrow(
    state,
    'backup',
    'run',
    '--to',
    sealed,
    '--recipient',
    await identityToRecipient(identity),
  )
  await operateOrThrow(state, 'backup', 'verify', '--to', plain)
  await operateOrThrow(state, 'backup', 'verify', '--to', sealed, '--identity', keyFile)
})

await check('after the state is lost, every organization is restored from its encrypted backup', async () => {
  await service.stop()
  rmSync(state, { recursive: true })
  for (const [organizationId, file] of archivesIn(sealed)) {
    const { code, stderr } = await operate(state, 'org', 'restore', file, '--identity', keyFile)
    assert.equal(code, 0, stderr)
    assert.match(stderr, new RegExp(`Restored ${organizationId}: \\d+ rows`))
  }
})

await check('each of them is what it was, to the byte', async () => {
  await operateOrThrow(state, 'backup', 'run', '--to', again)
  const [before, after] = [archivesIn(plain), archivesIn(again)]
  assert.deepEqual([...after.keys()].sort(), [...organizations].sort())
  for (const [organizationId, file] of before)
    assert(readFileSync(after.get(organizationId) ?? '').equals(readFileSync(file)), organizationId)
})

report()
process.exit()
