import { isSourceKind } from '../../../adapters/pos-odbc/index.ts'
import { readKey, readOperatorKey } from '../../../domain/access/keys.ts'
import { issueTenantKey, listTenantKeys } from '../../../domain/operators/keys.ts'
import { issueOperatorKeyEndpoint } from '../../../domain/operators/operator-keys.ts'
import { saveOrganization, showOrganization } from '../../../domain/operators/organizations.ts'
import { getHealth } from '../../../domain/operators/service.ts'
import { readEnv } from '../../env/index.ts'
import {
  byKey,
  byRootSecret,
  callService,
  Refusal,
  itemsOf,
  type Authorization,
  type OperatorService,
} from '../../operator/client/call-service.ts'
import { importThroughService } from '../../operator/client/import-client.ts'
import { systemClock } from '../../system.ts'
import { createMeter, type Lifetime } from '../../wiring/opening.ts'
import { serve } from '../../wiring/operators.ts'
import type { Kept } from '../kept.ts'
import { demoOrganizations, ndjsonFile, type KindOfLines } from './index.ts'

/** The operator's name in the operator key that a local start makes. */
const LOCAL_OPERATOR = 'local'

/**
 * Makes the demo organizations with a key each, and an operator key, unless the state has them. Everything is done
 * through the operator interface, as an operator would. With a configuration that is refused it does nothing.
 */
export async function prepareDemo(
  bindings: Readonly<Record<string, unknown>> & { readonly ROOT_SECRET: string },
  kept: Kept,
  lifetime: Lifetime,
): Promise<void> {
  const reading = readEnv(bindings)
  if (!reading.ok) return
  const reach = async (request: Request) =>
    serve(
      request,
      { requestId: 'local-start', answered: () => undefined },
      { env: reading.env, lifetime, meter: createMeter() },
    )
  const serviceFor = (authorization: Authorization) =>
    callService({ url: 'http://localhost', stateDirectory: null, authorization, reach })
  const operatorKey = await operatorKeyOf(kept, serviceFor, bindings.ROOT_SECRET)
  await seedDemo(serviceFor(byKey(operatorKey)), kept)
}

/** The operator key that the state keeps, or a new one when it is missing or does not work. */
async function operatorKeyOf(
  kept: Kept,
  serviceFor: (authorization: Authorization) => OperatorService,
  rootSecret: string,
): Promise<string> {
  const known = await kept.read('operator-key')
  if (known !== null && readOperatorKey(known) !== null && (await works(serviceFor(byKey(known)))))
    return known
  const holder = serviceFor(byRootSecret(rootSecret, systemClock))
  const body = { operator: LOCAL_OPERATOR, role: 'admin' } as const
  const { key } = await holder.call(issueOperatorKeyEndpoint, { body })
  await kept.write('operator-key', key)
  return key
}

async function works(service: OperatorService): Promise<boolean> {
  try {
    await service.call(getHealth)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

/**
 * Makes the demo organizations, and finds or issues their keys, which `kept` keeps because the database has only their
 * hashes. An organization's key is issued last, so an organization with a key is completely seeded. Rows of a point of
 * sale behind the ODBC gateway are left out: the gateway is a program of its own, which `npm start` runs and fills.
 */
export async function seedDemo(
  service: OperatorService,
  kept: Kept,
  note: (line: string) => void = (line) => {
    console.log(line)
  },
): Promise<void> {
  for (const { organization, place, lines } of demoOrganizations) {
    const { organizationId, ...settings } = organization
    const params = { organizationId }
    const isThere = await isKnown(organizationId, service)
    const keys: { readonly keyId: string; readonly state: string }[] = []
    if (isThere) for await (const key of itemsOf(service, listTenantKeys, { params })) keys.push(key)
    if (keys.length === 0) {
      note(`Seeding the demo organization ${organizationId}…`)
      if (!isThere) await service.call(saveOrganization, { params, body: { ...settings, place } })
      if (!isSourceKind(settings.posSource?.kind ?? '')) await importLines(lines, organizationId, service)
    }
    const name = `tenant-key ${organizationId}` as const
    const known = readKey((await kept.read(name)) ?? '')?.keyId
    if (keys.some(({ keyId, state }) => state === 'active' && keyId === known)) continue
    const { key } = await service.call(issueTenantKey, { params, body: {} })
    await kept.write(name, key)
  }
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
