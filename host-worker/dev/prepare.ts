import { join } from 'node:path'
import type { D1Storage } from '../../adapters/d1/index.ts'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { installMailbox } from '../../adapters/local/index.ts'
import { issueKey } from '../../domain/tenancy/api-key.ts'
import type { Secrets } from '../../domain/tenancy/secrets.ts'
import { openSecrets } from '../../domain/tenancy/secrets.ts'
import { openLocalDatabase } from '../operator/database.ts'
import { systemClock, systemRandom } from '../system.ts'
import { demoOrganization } from './demo/index.ts'
import { seedDemo } from './demo/seed.ts'
import { withFileLock } from './file-lock.mjs'
import { localSecrets, readDemoKey, writeDemoKey } from './state.ts'

/**
 * Makes a state directory ready to serve: root secret, migrated database, demo organization with a key. What is there
 * already stays as it is. Returns the demo key.
 */
export async function prepareState(directory: string): Promise<string> {
  const { ROOT_SECRET, ROOT_SECRET_PREVIOUS } = localSecrets(directory)
  const secrets = await openSecrets(ROOT_SECRET ?? '', ROOT_SECRET_PREVIOUS ?? null)
  return withFileLock(join(directory, 'prepare.lock'), async () => {
    const opened = await openLocalDatabase(directory)
    try {
      const storage = createD1Storage({ database: opened.database, clock: systemClock })
      await installMailbox(opened.database)
      await seedOnce(storage, secrets)
      return await demoKey(directory, storage, secrets)
    } finally {
      await opened.close()
    }
  })
}

/** A key is issued only after the seed, so any key of the demo organization stands for a completed one. */
async function seedOnce(storage: D1Storage, secrets: Secrets): Promise<void> {
  const { organizationId } = demoOrganization
  if ((await storage.administration.listKeys(organizationId)).length > 0) return
  process.stderr.write(`Seeding the demo organization ${organizationId}…\n`)
  const existing = await storage.administration.findOrganization(organizationId)
  if (existing === null) await storage.administration.saveOrganization(demoOrganization)
  await seedDemo(storage.tenant(organizationId), secrets)
}

/** The key kept in the state directory, unless it is missing or was revoked: then a new one. */
async function demoKey(directory: string, storage: D1Storage, secrets: Secrets): Promise<string> {
  const { organizationId } = demoOrganization
  const kept = readDemoKey(directory)
  const keys = await storage.administration.listKeys(organizationId)
  const works = keys.some(({ keyId, revokedAt }) => revokedAt === null && kept?.includes(keyId) === true)
  if (kept !== null && works) return kept
  const { key, stored } = await issueKey({ organizationId }, secrets, systemRandom, systemClock)
  await storage.administration.addKey(stored)
  writeDemoKey(directory, key)
  return key
}
