import { operatorRoles } from '../../../domain/access/operator.ts'
import {
  issueOperatorKeyEndpoint,
  listOperatorKeys,
  revokeOperatorKey,
} from '../../../domain/operators/endpoints/operator-keys.ts'
import { UsageError } from '../client/errors.ts'
import type { OperatorService } from '../client/operator-service.ts'
import { itemsOf } from '../client/pages.ts'
import type { Arguments } from '../command/command.ts'
import { textOf } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { callWithFlags } from './settings.ts'

/** The flag for each setting of an operator key. */
const settingFlags = { operator: 'operator', role: 'role', expiresAt: 'expires' } as const

/** Issues an operator key, for `key issue --operator`. */
export async function issueForOperator(context: Context, { values }: Arguments): Promise<void> {
  for (const flag of ['label', 'scope', 'rate'])
    if (values[flag] !== undefined)
      throw new UsageError(`--${flag} is for keys of organizations and of the platform`)
  const role = operatorRoles.find((known) => known === textOf(values, 'role'))
  if (role === undefined) throw new UsageError(`--role must be ${operatorRoles.join(' or ')}`)
  const expiresAt = textOf(values, 'expires')
  const body = {
    operator: textOf(values, 'operator') ?? '',
    role,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  } as const
  const service = await context.service('root secret')
  const issued = await callWithFlags(settingFlags, () => service.call(issueOperatorKeyEndpoint, { body }))
  context.out(issued.body.key)
}

/** The operator keys of a service, as rows of the list of keys. */
export async function* operatorKeyRows(service: OperatorService): AsyncGenerator<readonly (string | null)[]> {
  for await (const key of itemsOf(service, listOperatorKeys)) {
    const { keyId, state, createdAt, revokedAt, secret, role, expiresAt, lastUsedAt, operator } = key
    yield [keyId, state, createdAt, revokedAt, secret, role, expiresAt, lastUsedAt, operator]
  }
}

/** Revokes an operator key. False: there is no operator key with that id. */
export async function revokeIfOfOperator(service: OperatorService, keyId: string): Promise<boolean> {
  // The key is looked up first, so that the audit contains no refused change when the id belongs to another kind of
  // key.
  for await (const key of itemsOf(service, listOperatorKeys)) {
    if (key.keyId !== keyId) continue
    await service.call(revokeOperatorKey, { params: { keyId } })
    return true
  }
  return false
}
