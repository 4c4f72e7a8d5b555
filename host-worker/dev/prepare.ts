import { join } from 'node:path'
import { installMailbox } from '../../adapters/local/index.ts'
import { issueKey, readKey } from '../../domain/access/api-key.ts'
import { keyState } from '../../domain/operators/key-state.ts'
import type { Secrets } from '../../domain/access/secrets.ts'
import { openSecrets } from '../../domain/access/secrets.ts'
import type { Organization } from '../../ports/organization.ts'
import { openLocalDatabase } from '../operator/database.ts'
import { openPosWriter } from '../operator/pos-writer.ts'
import type { SqliteStorage } from '../wiring/storage.ts'
import { openPosLegacy, openStorage } from '../wiring/storage.ts'
import { systemClock, systemRandom } from '../system.ts'
import { demoOrganization } from './demo/index.ts'
import { posOrganizations, seedPos } from './demo/pos.ts'
import { seedDemo } from './demo/seed.ts'
import { withFileLock } from '../launch/file-lock.mjs'
import { localSecrets, readDemoKey, writeDemoKey } from '../local/state.ts'

/** Keys that a fresh local service shows. */
export interface DemoKeys {
  /** The key of the demo organization. */
  readonly demo: string
  /** The keys of the organizations with a point of sale, one for each kind of source. */
  readonly pos: readonly (readonly [organization: Organization, key: string])[]
}

/** An organization of the demo and what fills it. */
interface Demo {
  readonly organization: Organization
  readonly seed: () => Promise<void>
}

/**
 * Makes a state directory ready to serve: root secret, migrated databases, demo organizations with a key each. Existing
 * state is kept. Returns the keys.
 */
export async function prepareState(directory: string): Promise<DemoKeys> {
  const { ROOT_SECRET, ROOT_SECRET_PREVIOUS } = localSecrets(directory)
  const secrets = await openSecrets(ROOT_SECRET ?? '', ROOT_SECRET_PREVIOUS ?? null)
  return withFileLock(join(directory, 'prepare.lock'), async () => {
    const opened = await openLocalDatabase(directory)
    const { database, posLegacy } = opened
    try {
      const storage = openStorage({ database })
      await installMailbox(database)
      const keyOf = async (demo: Demo) => {
        await seedOnce(demo, storage)
        return demoKey(directory, demo.organization, storage, secrets)
      }
      const demo = await keyOf({
        organization: demoOrganization,
        seed: () => seedDemo(storage, secrets),
      })
      const pos: [Organization, string][] = []
      for (const organization of posOrganizations) {
        const seed = async () => {
          const context = { localDirectory: directory, posLegacy: async () => executorOf(posLegacy) }
          const pos = await openPosWriter(context, organization)
          await seedPos(organization, pos.writer, storage).finally(() => {
            pos.close()
          })
        }
        pos.push([organization, await keyOf({ organization, seed })])
      }
      return { demo, pos }
    } finally {
      await opened.close()
    }
  })
}

function executorOf(database: Awaited<ReturnType<typeof openLocalDatabase>>['posLegacy']) {
  if (database === null) throw new Error('wrangler.toml binds no POS_LEGACY')
  return openPosLegacy(database)
}

/** The key is issued after the seed, so a demo organization that has a key is completely seeded. */
async function seedOnce({ organization, seed }: Demo, { administration }: SqliteStorage): Promise<void> {
  const { organizationId } = organization
  if ((await administration.listKeys(organizationId, null, 1)).length > 0) return
  process.stderr.write(`Seeding the demo organization ${organizationId}…\n`)
  const existing = await administration.findOrganization(organizationId)
  if (existing === null) await administration.saveOrganization(organization)
  await seed()
}

/** The key kept in the state directory, unless it is missing or does not work any more: then a new one. */
async function demoKey(
  directory: string,
  { organizationId }: Organization,
  storage: SqliteStorage,
  secrets: Secrets,
): Promise<string> {
  const kept = readDemoKey(directory, organizationId)
  const known = await storage.administration.findKey(readKey(kept ?? '')?.keyId ?? '')
  const works = known?.organizationId === organizationId && keyState(known, systemClock) === 'active'
  if (kept !== null && works) return kept
  const { key, stored } = await issueKey({ organizationId }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(stored)
  writeDemoKey(directory, organizationId, key)
  return key
}
