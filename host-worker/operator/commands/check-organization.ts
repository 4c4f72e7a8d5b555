import { showOrganization } from '../../../domain/operators/endpoints/organization/organizations.ts'
import { textOf } from '../command/arguments.ts'
import type { Values } from '../command/command.ts'
import type { Context } from '../command/context.ts'

/**
 * The organization in --org; undefined: the flag was not given. Throws the service's refusal when the organization does
 * not exist, because a list that is filtered by it would merely be empty.
 */
export async function checkOrganization(context: Context, values: Values): Promise<string | undefined> {
  const organizationId = textOf(values, 'org')
  if (organizationId === undefined) return undefined
  const service = await context.service()
  await service.call(showOrganization, { params: { organizationId } })
  return organizationId
}
