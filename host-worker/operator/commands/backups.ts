import { createFolderArchives } from '../../../adapters/archive-folder/index.ts'
import {
  deleteBackup,
  listBackups,
  readBackup,
  removeBackups,
  runBackup,
} from '../../../domain/operators/backups.ts'
import { beginExport, readExport } from '../../../domain/operators/archives.ts'
import { listOrganizations } from '../../../domain/operators/organizations.ts'
import { backUp, removeOld, readBackupName, type BackupWorld } from '../../../domain/organizations/backups.ts'
import { systemClock } from '../../system.ts'
import {
  checkArchive,
  backupsInFolder,
  backupsOfService,
  decrypted,
  openNodeDigest,
  remoteSource,
  type KeptBackup,
  type KeptBackups,
} from './archive-files.ts'
import { CommandError, UsageError, itemsOf, repeated, type OperatorService } from '../client/call-service.ts'
import { textOf, type Command, type Context, givenPath } from '../command.ts'
import { mark, text, type FlagValues } from '../../../domain/record/command.ts'
import { listing, source } from '../listing.ts'

/** Backs one organization up, or removes old backups: in a folder, or in the bucket of the service. */
interface Backups {
  run(organizationId: string): Promise<{ readonly name: string; readonly rows: number }>
  remove(keepDays: number): Promise<readonly string[]>
}

const runCommand: Command = {
  words: ['backup', 'run'],
  positionals: [],
  flags: {
    to: text('DIR'),
    keep: text('DAYS'),
    recipient: text('AGE_KEY'),
    'with-secrets': mark(),
  },
  summary: 'Back up every organization, in the bucket of the service or in a folder',
  details: [
    'Prints the name of each backup. An organization that cannot be backed up stops no other; the exit code is then 1.',
    '--keep removes backups that are older, but never the latest one of an organization. In the bucket, BACKUP_RECIPIENT',
    'of the service encrypts backups; in a folder (--to), --recipient does, a public key of age, and --with-secrets',
    'includes keys and the hashes of form passwords.',
  ],
  examples: ['--keep 30', '--to /var/backups/tenants --keep 30'],
  operations: [runBackup, removeBackups, listOrganizations, beginExport, readExport],
  run: async (context, { values }) => {
    const keepDays = daysIn(values)
    const backups = await backupsFor(values, await context.service())
    let failed = 0
    for await (const { organizationId } of itemsOf(
      await context.service(),
      listOrganizations,
      {},
      context.note,
    )) {
      try {
        const { name, rows } = await backups.run(organizationId)
        context.out(`${name}  ${rows} rows`)
      } catch (error) {
        failed += 1
        context.note(
          `${organizationId} was not backed up: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
    if (keepDays !== null) for (const name of await backups.remove(keepDays)) context.note(`Removed ${name}.`)
    if (failed > 0) throw new CommandError(`${failed} organizations were not backed up.`)
  },
}

function daysIn(values: FlagValues): number | null {
  const given = textOf(values, 'keep')
  if (given === undefined) return null
  if (!/^[1-9]\d{0,3}$/.test(given)) throw new UsageError('--keep must be a number of days, from 1 on')
  return Number(given)
}

async function backupsFor(values: FlagValues, service: OperatorService): Promise<Backups> {
  const [folder, recipient] = [textOf(values, 'to'), textOf(values, 'recipient')]
  if (folder === undefined) {
    if (recipient !== undefined || values['with-secrets'] === true)
      throw new UsageError(
        '--recipient and --with-secrets need --to; the service has its own BACKUP_RECIPIENT',
      )
    return {
      run: (organizationId) => service.call(runBackup, { params: { organizationId } }),
      remove: async (keepDays) =>
        (await repeated(() => service.call(removeBackups, { body: { keepDays } }))).removed,
    }
  }
  const world: BackupWorld = {
    archives: createFolderArchives(givenPath(folder)),
    openDigest: openNodeDigest,
    seal: recipient === undefined ? null : await sealFor(recipient),
    clock: systemClock,
  }
  const withSecrets = values['with-secrets'] === true
  return {
    run: (organizationId) =>
      backUp(organizationId, remoteSource(service, organizationId, withSecrets), world),
    remove: (keepDays) => removeOld(keepDays, world),
  }
}

async function sealFor(recipient: string) {
  const { sealTo } = await import('../../../adapters/archive-age/index.ts')
  try {
    return sealTo(recipient)
  } catch (error) {
    throw new UsageError('--recipient must be a public key of age (age1…)', { cause: error })
  }
}

async function keptBackups(values: FlagValues, context: Context): Promise<KeptBackups> {
  const folder = textOf(values, 'to')
  return folder === undefined
    ? backupsOfService(await context.service(), context.note)
    : backupsInFolder(givenPath(folder))
}

const backups = source<KeptBackup>(
  [
    { head: 'name', of: ({ name }) => name },
    { head: 'organization', of: ({ organizationId }) => organizationId },
    { head: 'at', of: ({ at }) => at },
    { head: 'bytes', of: ({ bytes }) => bytes },
  ],
  async (context, values) => (await keptBackups(values, context)).list(),
)

const listCommand = listing({
  positionals: [],
  words: ['backup', 'list'],
  flags: { to: text('DIR') },
  summary: 'List the backups, oldest first: name, organization, instant, size',
  details: ['"org restore NAME" restores one.'],
  examples: ['', '--to /var/backups/tenants --limit 20'],
  operations: [listBackups],
  sourceFor: () => backups,
})

const verifyCommand: Command = {
  words: ['backup', 'verify'],
  positionals: [],
  flags: { to: text('DIR'), identity: text('FILE') },
  summary: 'Read every backup back, and check it against its manifest',
  details: [
    '--identity names the file of the secret key, as age-keygen writes it, for backups that are encrypted.',
  ],
  examples: ['', '--to /var/backups/tenants'],
  operations: [listBackups, readBackup],
  run: async (context, { values }) => {
    const backups = await keptBackups(values, context)
    const identity = textOf(values, 'identity')
    let [good, bad] = [0, 0]
    for await (const { name } of backups.list()) {
      try {
        const archive = await decrypted(
          backups.open(name),
          identity === undefined ? undefined : givenPath(identity),
        )
        const { rows } = await checkArchive(archive, null, () => undefined)
        good += 1
        context.out(`${name}  ${rows} rows`)
      } catch (error) {
        bad += 1
        context.note(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    if (bad > 0) throw new CommandError(`${bad} of ${good + bad} backups cannot be restored.`)
  },
}

const deleteCommand: Command = {
  words: ['backup', 'delete'],
  positionals: ['NAME'],
  flags: { to: text('DIR') },
  summary: 'Delete a backup, whichever it is',
  details: [
    'NAME is a name of "backup list". Nothing brings it back, also not the last one of an organization.',
  ],
  examples: ['2026-05-19T02-00-00-000Z.acme.tar'],
  operations: [deleteBackup],
  run: async (context, { values, positionals: [name = ''] }) => {
    const folder = textOf(values, 'to')
    if (folder === undefined) await (await context.service()).call(deleteBackup, { params: { name } })
    else {
      const archives = createFolderArchives(givenPath(folder))
      const isThere = readBackupName(name) !== null && (await archives.read(name, 0, 1)) !== null
      if (!isThere) throw new CommandError(`There is no backup ${name} in ${folder}.`)
      await archives.remove(name)
    }
    context.note(`Deleted ${name}.`)
  },
}

export const commands = [runCommand, listCommand, verifyCommand, deleteCommand]
