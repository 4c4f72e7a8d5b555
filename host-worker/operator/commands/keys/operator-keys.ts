import { operatorRoles } from '../../../../domain/access/operator.ts'
import {
  issueOperatorKeyEndpoint,
  listOperatorKeys,
  revokeOperatorKey,
} from '../../../../domain/operators/endpoints/keys/operator-keys.ts'
import { UsageError } from '../../client/errors.ts'
import type { AnswerTo, OperatorService } from '../../client/service/operator-service.ts'
import type { ItemOf } from '../../client/pages.ts'
import { itemsOf } from '../../client/pages.ts'
import type { Arguments } from '../../command/command.ts'
import { textOf } from '../../command/arguments.ts'
import type { Context } from '../../command/context.ts'
import { source } from '../../listing/listing.ts'
import { issuerColumn, stateColumns } from './key-columns.ts'
import { callWithFlags } from '../settings.ts'

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
  const end = issued.body.expiresAt
  if (expiresAt === undefined && end !== null)
    context.note(`It ends at ${end}, as the key that issued it does.`)
}

/** The operator keys of a service, as a listing. */
export const operatorKeySource = source<ItemOf<typeof listOperatorKeys>>(
  [
    ...stateColumns,
    { head: 'role', of: ({ role }) => role },
    { head: 'ends at', of: ({ expiresAt }) => expiresAt },
    { head: 'last used', of: ({ lastUsedAt }) => lastUsedAt },
    issuerColumn,
    { head: 'operator', of: ({ operator }) => operator, mayBeCut: true },
  ],
  async (context, _values, limit) => itemsOf(await context.service(), listOperatorKeys, { query: { limit } }),
)

/** What a revocation with descendants has ended, and what it did not reach. */
export type RevokedKeys = Extract<AnswerTo<typeof revokeOperatorKey>, { status: 200 }>['body']

const NOTHING: RevokedKeys = { revoked: [], keys: [], unreached: [] }

/**
 * Revokes an operator key, with its descendants if that is asked for.
 * @returns what this ended, when descendants were asked for; null: there is no operator key with that id
 */
export async function revokeIfOfOperator(
  service: OperatorService,
  keyId: string,
  withDescendants: boolean,
): Promise<RevokedKeys | null> {
  // The key is looked up first, so that the audit contains no refused change when the id belongs to another kind of
  // key.
  for await (const key of itemsOf(service, listOperatorKeys)) {
    if (key.keyId !== keyId) continue
    const query = withDescendants ? { descendants: 'true' } : {}
    const { body } = await service.call(revokeOperatorKey, { params: { keyId }, query })
    return body ?? NOTHING
  }
  return null
}
