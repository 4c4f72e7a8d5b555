import { isSourceKind } from '../../../adapters/pos-odbc/index.ts'
import { readKey } from '../../../domain/access/api-key.ts'
import { issueTenantKey, listTenantKeys } from '../../../domain/operators/endpoints/keys/keys.ts'
import {
  saveOrganization,
  showOrganization,
} from '../../../domain/operators/endpoints/organization/organizations.ts'
import { Refusal } from '../../operator/client/errors.ts'
import { importThroughService } from '../../operator/client/import-client.ts'
import { itemsOf } from '../../operator/client/pages.ts'
import type { OperatorService } from '../../operator/client/service/operator-service.ts'
import type { Kept } from '../kept.ts'
import { demoOrganizations, ndjsonFile, type DemoOrganization, type KindOfLines } from './index.ts'

/**
 * Makes the demo organizations, and finds or issues their keys, which `kept` keeps because the database has only their
 * hashes. An organization's key is issued last, so an organization with a key is completely seeded.
 */
export async function seedDemo(
  service: OperatorService,
  kept: Kept,
  note: (line: string) => void = (line) => {
    console.log(line)
  },
): Promise<void> {
  for (const demo of demoOrganizations) {
    const { organizationId } = demo.organization
    const keyIds = await workingKeys(organizationId, service)
    if (keyIds === null) {
      note(`Seeding the demo organization ${organizationId}…`)
      await seed(demo, service)
    }
    const name = `tenant-key ${organizationId}` as const
    const known = await kept.read(name)
    if (known !== null && keyIds?.includes(readKey(known)?.keyId ?? '') === true) continue
    const { key } = (await service.call(issueTenantKey, { params: { organizationId }, body: {} })).body
    await kept.write(name, key)
  }
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
 * Creates and fills a demo organization. Rows of a point of sale behind the ODBC gateway are left out: the gateway is
 * a program of its own, which `npm start` runs and fills.
 */
async function seed(
  { organization: { organizationId, ...settings }, place, lines }: DemoOrganization,
  service: OperatorService,
): Promise<void> {
  if (!(await isKnown(organizationId, service)))
    await service.call(saveOrganization, { params: { organizationId }, body: { ...settings, place } })
  if (!isSourceKind(settings.posSource?.kind ?? '')) await importLines(lines, organizationId, service)
}

/** Imports lines by kind, in their order. Importing them again changes nothing. Throws when a row is refused. */
export async function importLines(
  linesByKind: readonly KindOfLines[],
  organizationId: string,
  { url, send }: Pick<OperatorService, 'url' | 'send'>,
): Promise<void> {
  for (const [kind, lines] of linesByKind) {
    const outcome = await importThroughService({
      ...ndjsonFile(kind, lines()),
      organizationId,
      url,
      call: (method, path, init) => send(method, path, init),
    })
    if (outcome.kind !== 'imported')
      throw new Error(`The demo's ${kind} were refused: ${JSON.stringify(outcome)}`)
  }
}
