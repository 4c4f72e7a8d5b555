import type { Secrets } from '../../domain/access/secrets.ts'
import { openSecrets, rootSecretProblem } from '../../domain/access/secrets.ts'
import type { Organization } from '../../ports/organization.ts'
import { projectRoot } from '../local/root.ts'
import { localSecrets, stateDirectory } from '../local/state.ts'
import type { Executor, SqliteStorage } from '../wiring/storage.ts'
import { openPosLegacy, openStorage } from '../wiring/storage.ts'
import type { DatabaseOpeners, OpenDatabase } from './database.ts'
import { CommandError } from './errors.ts'

/** Where a command's output goes. */
export interface Streams {
  /** One line of result: standard output. */
  readonly out: (line: string) => void
  /** One line for the person at the terminal: standard error. */
  readonly note: (line: string) => void
}

/** What a command works with. Storage and secrets are opened when they are first asked for. */
export interface Context extends Streams {
  /** The directory of the local state; null: the command is about the deployment. */
  readonly localDirectory: string | null
  storage(): Promise<SqliteStorage>
  /** The legacy vendor's database. Throws a `CommandError` when the deployment has none. */
  posLegacy(): Promise<Executor>
  secrets(): Promise<Secrets>
  /** The same, or null where the root secret of the deployment was not given. */
  secretsIfGiven(): Promise<Secrets | null>
  close(): Promise<void>
}

/** A context on the local database of `STATE_DIR`, or on the deployed one. */
export function createContext(remote: boolean, streams: Streams, databases: DatabaseOpeners): Context {
  const directory = stateDirectory(projectRoot)
  let opened: Promise<OpenDatabase> | null = null
  let secrets: Promise<Secrets> | null = null
  const open = () => {
    if (!remote) localSecrets(directory)
    return (opened ??= remote ? databases.remote(directory) : databases.local(directory))
  }
  const secretSource = () => (remote ? process.env : localSecrets(directory))
  const openOnce = () => (secrets ??= readSecrets(secretSource()))
  return {
    localDirectory: remote ? null : directory,
    storage: async () => openStorage(await open()),
    posLegacy: async () => {
      const { posLegacy: database } = await open()
      if (database === null)
        throw new CommandError('wrangler.toml names no database POS_LEGACY that was created.')
      return openPosLegacy(database)
    },
    secrets: openOnce,
    secretsIfGiven: async () => ((secretSource().ROOT_SECRET ?? '') === '' ? null : openOnce()),
    ...streams,
    close: async () => {
      await opened?.then((database) => database.close())
    },
  }
}

/** The organization of that id, or an error that says how to create it. */
export async function organizationOf(context: Context, organizationId: string): Promise<Organization> {
  const { administration } = await context.storage()
  const found = await administration.findOrganization(organizationId)
  if (found !== null) return found
  throw new CommandError(
    `There is no organization ${organizationId}. Create it with "org create --id ${organizationId}".`,
  )
}

async function readSecrets(source: Readonly<Record<string, string | undefined>>): Promise<Secrets> {
  const root = source.ROOT_SECRET
  if (root === undefined || root === '') {
    throw new CommandError(
      'ROOT_SECRET is not set: with --remote it must be in the environment, as the service has it.',
    )
  }
  const previous = source.ROOT_SECRET_PREVIOUS
  for (const [name, value] of Object.entries({ ROOT_SECRET: root, ROOT_SECRET_PREVIOUS: previous })) {
    const problem = value === undefined || value === '' ? null : rootSecretProblem(value)
    if (problem !== null) throw new CommandError(`${name} ${problem}.`)
  }
  return openSecrets(root, previous === undefined || previous === '' ? null : previous)
}
