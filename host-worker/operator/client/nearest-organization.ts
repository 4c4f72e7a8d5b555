import { listOrganizations } from '../../../domain/operators/endpoints/organization/organizations.ts'
import { echoed } from '../../../domain/bounds/echo.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import { suggestion } from '../../../domain/text/nearest-word.ts'
import { Refusal } from './errors.ts'
import type { OperatorService } from './service/operator-service.ts'

/**
 * The error of a command that named an organization which does not exist, with the nearest one that does; any other
 * error as it is. One page of organizations is looked at.
 * @param named what the command was given, one of which is the id
 * @param open opens the service of the command
 */
export async function withNearestOrganization(
  error: unknown,
  named: readonly string[],
  open: () => Promise<OperatorService>,
): Promise<unknown> {
  if (!(error instanceof Refusal)) return error
  const { message, status } = error
  const organizationId = named.find((id) =>
    ['.', ','].some((end) => message.startsWith(`There is no organization ${echoed(id)}${end}`)),
  )
  if (organizationId === undefined) return error
  try {
    const service = await open()
    const { body } = await service.call(listOrganizations, { query: { limit: PAGE_ROWS_MAX } })
    const ids = body.data.map((organization) => organization.organizationId)
    return new Refusal(status, `${message}${suggestion(organizationId, ids)}`)
  } catch {
    // The suggestion is an extra. What went wrong with the command is said in any case.
    return error
  }
}
