import { showOrganization } from '../../../domain/operators/endpoints/organizations.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'

/**
 * The organization that --org names; undefined: it was not given. Throws what the service says when there is none of that
 * id: a list that is narrowed to it would only be empty.
 */
export async function checkOrganization(
  ...[context, { values }]: Parameters<Command['run']>
): Promise<string | undefined> {
  const organizationId = textOf(values, 'org')
  if (organizationId === undefined) return undefined
  const service = await context.service()
  await service.call(showOrganization, { params: { organizationId } })
  return organizationId
}
