import { issueTenantKey, listTenantKeys } from '../../domain/operators/endpoints/keys/keys.ts'
import {
  saveOrganization,
  showOrganization,
} from '../../domain/operators/endpoints/organization/organizations.ts'
import { readKey } from '../../domain/access/api-key.ts'
import { readDemoKey, writeDemoKey } from '../local/state.ts'
import { Refusal } from '../operator/client/errors.ts'
import { callService } from '../operator/client/call-service.ts'
import { openOwn } from '../operator/client/service/local-service.ts'
import type { OperatorService } from '../operator/client/service/operator-service.ts'
import { itemsOf } from '../operator/client/pages.ts'
import type { DemoOrganization } from './demo/index.ts'
import { demoOrganizations, importLines } from './demo/index.ts'

/** A demo organization with the tenant key that a local service shows. */
export interface DemoKey extends Pick<DemoOrganization, 'organization' | 'place'> {
  readonly key: string
}

/**
 * Prepares a state directory, which the caller holds, for serving: root secret, migrated databases, an operator key, and demo organizations with
 * a key each. Existing state is kept. Everything is done through the operator interface. Returns the keys of the
 * organizations.
 */
export async function prepareState(directory: string): Promise<readonly DemoKey[]> {
  const note = (line: string) => void process.stderr.write(`${line}\n`)
  const { connection, close } = await openOwn(directory, { key: null, note })
  try {
    return await prepareDemo(directory, callService(connection), note)
  } finally {
    await close()
  }
}

/** Makes the demo organizations, and finds or issues their keys. */
export async function prepareDemo(
  directory: string,
  service: OperatorService,
  note: (line: string) => void,
): Promise<readonly DemoKey[]> {
  const keys: DemoKey[] = []
  for (const demo of demoOrganizations) {
    const { organization, place } = demo
    const { organizationId } = organization
    const keyIds = await workingKeys(organizationId, service)
    if (keyIds === null) {
      note(`Seeding the demo organization ${organizationId}…`)
      await seed(demo, service)
    }
    keys.push({ organization, place, key: await demoKey(directory, organizationId, keyIds ?? [], service) })
  }
  return keys
}

/** The ids of an organization's active keys. Null: it never had a key, or does not exist. */
async function workingKeys(
  organizationId: string,
  service: OperatorService,
): Promise<readonly string[] | null> {
  if (!(await isKnown(organizationId, service))) return null
  const working: string[] = []
  let isAny = false
  for await (const { keyId, state } of itemsOf(service, listTenantKeys, { params: { organizationId } })) {
    isAny = true
    if (state === 'active') working.push(keyId)
  }
  return isAny ? working : null
}

async function isKnown(organizationId: string, service: OperatorService): Promise<boolean> {
  try {
    await service.call(showOrganization, { params: { organizationId } })
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return false
    throw error
  }
}

/**
 * Creates and fills a demo organization. Its key is issued only afterwards, so an organization with a key is completely
 * seeded.
 */
async function seed(
  { organization: { organizationId, ...settings }, place, lines }: DemoOrganization,
  service: OperatorService,
): Promise<void> {
  if (!(await isKnown(organizationId, service)))
    await service.call(saveOrganization, {
      params: { organizationId },
      body: { ...settings, place },
    })
  await importLines(lines, organizationId, service)
}

/** The key in the state directory, or a new one when that is missing or no longer works. */
async function demoKey(
  directory: string,
  organizationId: string,
  working: readonly string[],
  service: OperatorService,
): Promise<string> {
  const kept = readDemoKey(directory, organizationId)
  if (kept !== null && working.includes(readKey(kept)?.keyId ?? '')) return kept
  const { key } = (await service.call(issueTenantKey, { params: { organizationId }, body: {} })).body
  writeDemoKey(directory, organizationId, key)
  return key
}
