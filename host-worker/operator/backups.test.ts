import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealTo } from '../../adapters/archive-age/index.ts'
import { createFolderArchives } from '../../adapters/archive-folder/index.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { sites } from '../../domain/resources/sites.ts'
import { sweepBackups, type BackupWorld } from '../../domain/organizations/backups.ts'
import { folderBackups } from '../../test/support/archives/folder-backups.ts'
import { sampleRow } from '../../test/support/data/sample-rows.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import type { R2Bucket } from '@cloudflare/workers-types'
import { backupsOf } from '../env/index.ts'
import { lineLog } from '../system.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

// Backups of all organizations, by the commands and by the schedule.

const directory = scratchFolder()
let folders = 0
/** The folder that stands for the bucket of the service. */
let bucket: string
let clock = fakeClock()
let at: TestOperator

function worldOf(seal: BackupWorld['seal'] = null): BackupWorld {
  return { ...folderBackups(clock, bucket), seal }
}

beforeEach(async () => {
  bucket = join(directory, `bucket-${(folders += 1)}`)
  clock = fakeClock('2026-06-15T02:30:00.000Z')
  at = await openTestOperator(undefined, { backups: worldOf() })
  for (const id of ['acme', 'zoo']) {
    await at.service.addOrganization(id)
    await at.service.storage.tenant(id).upsert('sites', [sampleRow(sites, 1, `${id}-`)])
  }
})

const names = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[0])

test('every organization is backed up in the bucket, listed, verified and restored by its name', async () => {
  const run = await at.run('backup', 'run')
  expect(run.code).toBe(0)
  const [acme = '', zoo = ''] = names(run.stdout)
  expect([acme, zoo]).toEqual(['2026-06-15T02-30-00-000Z.acme.tar', '2026-06-15T02-30-00-000Z.zoo.tar'])
  const listed = await at.run('backup', 'list')
  expect(listed.stdout).toMatch(
    /^\S+\.acme\.tar {2}acme {2}2026-06-15T02:30:00\.000Z {2}\d+\n\S+\.zoo\.tar {2}zoo/,
  )
  expect(await at.run('backup', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('acme.tar  1 rows') as unknown,
  })
  const restored = await at.run('org', 'restore', acme, '--id', 'again')
  expect(restored).toMatchObject({ code: 0 })
  expect(JSON.parse((await at.run('org', 'show', 'again')).stdout)).toMatchObject({ archive: acme })
  const missing = await at.run('org', 'restore', acme.replace('acme', 'none'))
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no backup') as unknown })
  expect(at.service.errors).toEqual([])
})

test('a backup that was damaged is named, and the others are still read', async () => {
  const [acme = '', zoo = ''] = names((await at.run('backup', 'run')).stdout)
  const path = join(bucket, acme)
  writeFileSync(path, readFileSync(path).subarray(0, 9_000))
  const verified = await at.run('backup', 'verify')
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining(zoo) as unknown })
  expect(verified.stderr).toMatch(/acme\.tar: .*cut off[^]*1 of 2 backups cannot be restored/)
})

test('into a folder, encrypted, for whoever has the secret key', async () => {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const keyFile = join(directory, 'key.txt')
  writeFileSync(keyFile, `# created: today\n${identity}\n`)
  const to = ['--to', join(directory, 'kept')]
  const run = await at.run('backup', 'run', ...to, '--recipient', recipient, '--with-secrets')
  expect(run.code).toBe(0)
  const [acme = ''] = names(run.stdout)
  expect(acme).toMatch(/\.acme\.tar\.age$/)
  expect(readFileSync(join(directory, 'kept', acme), 'latin1')).not.toContain('manifest.json')
  expect((await at.run('backup', 'list', ...to)).stdout).toContain(acme)
  expect(await at.run('backup', 'verify', ...to)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is encrypted') as unknown,
  })
  expect((await at.run('backup', 'verify', ...to, '--identity', keyFile)).code).toBe(0)
  const other = await openTestOperator()
  const file = join(directory, 'kept', acme)
  expect((await other.run('org', 'restore', file)).code).toBe(1)
  expect((await other.run('org', 'restore', file, '--identity', keyFile)).stderr).toMatch(
    /^Restored acme: 2 rows/,
  )
})

const neverCalled = (): never => {
  throw new Error('There is no such organization.')
}

test('a bucket that refuses one backup stops no other, and that is an error', async () => {
  const archives = createFolderArchives(bucket)
  const full: BackupWorld['archives'] = {
    ...archives,
    put: (name, pieces) =>
      name.includes('acme') ? Promise.reject(new Error('Full.')) : archives.put(name, pieces),
  }
  const broken = await openTestOperator(undefined, { backups: { ...worldOf(), archives: full } })
  for (const id of ['acme', 'zoo']) await broken.service.addOrganization(id)
  const run = await broken.run('backup', 'run')
  expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('.zoo.tar') as unknown })
  expect(run.stderr).toMatch(/acme was not backed up: [^]*1 organizations were not backed up/)
})

test('old backups are removed, but never the latest of an organization', async () => {
  await at.run('backup', 'run')
  clock.advance(3 * 86_400_000)
  const [acme = ''] = names((await at.run('backup', 'run')).stdout)
  copyFileSync(join(bucket, acme), join(bucket, '2026-01-01T00-00-00-000Z.gone.tar'))
  writeFileSync(join(bucket, 'notes.txt'), 'not a backup')
  clock.advance(86_400_000)
  const run = await at.run('backup', 'run', '--keep', '2')
  expect(run.stderr).toMatch(
    /Removed 2026-06-15T02-30-00-000Z.acme.tar[^]*Removed 2026-06-15T02-30-00-000Z.zoo.tar/,
  )
  expect(readdirSync(bucket)).toHaveLength(6)
  expect(readdirSync(bucket)).toContain('2026-01-01T00-00-00-000Z.gone.tar')
  expect((await at.run('backup', 'run', '--keep', 'week')).code).toBe(2)
  expect((await at.run('backup', 'run', '--recipient', 'age1x')).code).toBe(2)
})

test('without a bucket, backups go into a folder only', async () => {
  const other = await openTestOperator()
  await other.service.addOrganization('acme')
  for (const command of ['run', 'list', 'verify'])
    expect((await other.run('backup', command)).stderr).toContain('--to DIR')
  expect((await other.run('backup', 'run', '--to', join(directory, 'elsewhere'))).code).toBe(0)
})

test('once a day each organization is backed up by itself, in the hours for it', async () => {
  const storage = createScratchStorage({ clock })
  const { administration, overview, organizationStore } = storage
  const lines: string[] = []
  const log = lineLog((_level, line) => lines.push(line))
  const seal = sealTo(await identityToRecipient(await generateX25519Identity()))
  const failedAtMs = new Map<string, number>()
  const sweep = (keepDays = 30) =>
    sweepBackups({
      failedAtMs,
      ...worldOf(seal),
      overview,
      organizationStore: (organizationId) =>
        organizationId === 'broken' ? neverCalled() : organizationStore(organizationId),
      log,
      keepDays,
    })
  for (const id of ['acme', 'broken', 'zoo']) await administration.saveOrganization(newOrganization(id, id))
  const kept = () => readdirSync(bucket)
  const failures = () =>
    lines.filter((line) => line.includes('backup_failed') && line.includes('broken')).length
  await sweep()
  expect(kept()).toEqual(['2026-06-15T02-30-00-000Z.acme.tar.age', '2026-06-15T02-30-00-000Z.zoo.tar.age'])
  // What failed is tried again an hour later, not by every sweep.
  for (const [minutes, times] of [
    [1, 1],
    [58, 1],
    [1, 2],
    [59, 2],
  ] as const) {
    clock.advance(minutes * 60_000)
    await sweep()
    expect(failures()).toBe(times)
  }
  clock.set('2026-06-16T01:59:00.000Z')
  await sweep()
  expect(kept()).toHaveLength(2)
  clock.set('2026-06-16T05:59:00.000Z')
  await sweep(1)
  expect(kept()).toHaveLength(2)
  clock.set('2026-06-17T06:00:00.000Z')
  await sweep()
  expect(kept()).toEqual(['2026-06-16T05-59-00-000Z.acme.tar.age', '2026-06-16T05-59-00-000Z.zoo.tar.age'])
})

test('each reading of a backup leaves one record, one that is cut off too', async () => {
  const [acme = '', zoo = ''] = names((await at.run('backup', 'run')).stdout)
  const readings = async () =>
    (await at.service.storage.audit.list({ action: 'backup.read' }, null, 50)).map(
      ({ organizationId, subject, outcome }) => [organizationId, subject, outcome],
    )
  const recordOf = (name: string, organizationId: string) => [
    organizationId,
    { type: 'archive', name, secrets: false },
    'done',
  ]
  expect((await at.run('backup', 'verify')).code).toBe(0)
  expect((await readings()).sort()).toEqual([recordOf(acme, 'acme'), recordOf(zoo, 'zoo')])
  expect((await at.run('org', 'restore', acme, '--id', 'again')).code).toBe(0)
  // It reads the archive twice, because it is checked whole before it is written: one reading by one operator.
  expect(await readings()).toHaveLength(3)
  const piece = async (body: object) => {
    const response = await at.service.send(`/operator/v1/backups/${acme}/bytes`, { key: at.key, json: body })
    return (await response.json()) as { readonly token: string; readonly bytes: string }
  }
  const { token, bytes } = await piece({ offset: 0 })
  expect(await readings()).toHaveLength(4)
  const end = Buffer.from(bytes, 'base64').length
  expect((await piece({ offset: end, token })).bytes).toBe('')
  expect(await readings()).toHaveLength(4)
  for (const [more, records] of [
    [{ offset: 1 }, 5],
    [{ offset: end, token: `${token}A` }, 6],
  ] as const) {
    await piece(more)
    expect(await readings()).toHaveLength(records)
  }
  at.service.clock.advance(86_400_001)
  await piece({ offset: end, token })
  expect(await readings()).toHaveLength(7)
  expect((await at.run('audit', '--org', 'acme')).stdout).toContain(acme)
})

test('any backup can be deleted, the last one of an organization that is gone too', async () => {
  const [acme = '', zoo = ''] = names((await at.run('backup', 'run')).stdout)
  expect((await at.run('org', 'delete', '--id', 'acme', '--confirm', 'acme')).code).toBe(0)
  expect(await at.run('backup', 'delete', acme)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Deleted ${acme}.\n`,
  })
  expect(readdirSync(bucket)).toEqual([zoo])
  for (const name of [acme, 'notes.txt', '../secrets'])
    expect(await at.run('backup', 'delete', name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no backup') as unknown,
    })
  expect(await at.run('backup', 'delete', zoo, '--to', bucket)).toMatchObject({ code: 0 })
  expect(readdirSync(bucket)).toEqual([])
  expect((await at.run('backup', 'delete', zoo, '--to', bucket)).code).toBe(1)
})

test('an organization tells whether whoever reads the bucket can read its backups', async () => {
  const shown = async (of: TestOperator) =>
    (JSON.parse((await of.run('org', 'show', 'acme')).stdout) as { readonly backups?: string }).backups
  expect(await shown(at)).toContain('not encrypted: set BACKUP_RECIPIENT')
  const seal = sealTo(await identityToRecipient(await generateX25519Identity()))
  for (const [backups, told] of [
    [worldOf(seal), 'encrypted'],
    [undefined, undefined],
  ] as const) {
    const other = await openTestOperator(undefined, backups === undefined ? {} : { backups })
    await other.service.addOrganization('acme')
    expect(await shown(other)).toBe(told)
  }
})

test.each([
  [undefined, 30],
  ['7', 7],
])('the configuration %s keeps backups for %i days', (days, kept) => {
  const bindings = { BACKUPS: { put() {}, list() {}, createMultipartUpload() {} } as unknown as R2Bucket }
  expect(backupsOf({ ...bindings, BACKUP_RECIPIENT: '', BACKUP_KEEP_DAYS: days ?? '' })?.keepDays).toBe(kept)
})
