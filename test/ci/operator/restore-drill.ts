import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { readBackupName } from '../../../domain/organizations/backups.ts'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { commandBlocks, runCommands } from '../../support/manuals/readme-commands.ts'
import { createChecks } from '../../support/runner/checks.ts'
import {
  freePort,
  operate,
  operateOrThrow,
  scratchDirectory,
  startService,
} from '../../support/services/started-service.ts'

/**
 * Runs the commands of the drill that the manual of archives prints, in the same order, and compares what came back; then
 * restores an encrypted backup after the state is lost.
 */
const { check, report, say } = createChecks()
const state = scratchDirectory()
const kept = scratchDirectory()
const [sealed, again] = [join(kept, 'sealed'), join(kept, 'again')]
const keyFile = join(kept, 'key.txt')
const drill = commandBlocks(projectRoot)
  .filter(({ path }) => path === 'domain/organizations/README.md')
  .flatMap(({ commands }) => commands)

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

/** The folder of the drill, with the backups and those of what was restored from them. */
let folder = ''
await check('every command of the manual works', async () => {
  const ran = await runCommands([...drill, 'echo $DRILL'], {
    directory: projectRoot,
    origin: service.origin,
    stateDirectory: state,
  })
  assert.deepEqual(
    ran.filter(({ exitCode }) => exitCode !== 0),
    [],
  )
  assert(drill.length > 3)
  folder = ran.at(-1)?.output.trim() ?? ''
})

await check('each organization that was restored is what it was, to the byte', () => {
  const [before, after] = [archivesIn(join(folder, 'backups')), archivesIn(join(folder, 'again'))]
  assert.deepEqual([...after.keys()].sort(), [...organizations].sort())
  for (const [organizationId, file] of before)
    assert(readFileSync(after.get(organizationId) ?? '').equals(readFileSync(file)), organizationId)
})

await check('encrypted backups can be read with the identity', async () => {
  const identity = await generateX25519Identity()
  writeFileSync(keyFile, identity)
  const recipient = await identityToRecipient(identity)
  await operateOrThrow(state, 'backup', 'run', '--to', sealed, '--recipient', recipient)
  const read = await operateOrThrow(state, 'backup', 'verify', '--to', sealed, '--identity', keyFile)
  assert.deepEqual(organizationsOf(read), [...organizations].sort())
})

await check('and restore an organization after the state is lost', async () => {
  await service.stop()
  rmSync(state, { recursive: true })
  const file = archivesIn(sealed).get('demo') ?? ''
  const { code, stderr } = await operate(state, 'org', 'restore', file, '--identity', keyFile)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Restored demo: \d+ rows/)
  await operateOrThrow(state, 'backup', 'run', '--to', again)
  const [before, after] = [archivesIn(join(folder, 'backups')).get('demo'), archivesIn(again).get('demo')]
  assert(readFileSync(after ?? '').equals(readFileSync(before ?? '')))
})

rmSync(folder, { recursive: true })
report()
process.exit()
