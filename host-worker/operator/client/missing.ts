import { listOrganizations } from '../../../domain/operators/endpoints/organization/organizations.ts'
import { echoed } from '../../../domain/limits/echo.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import { suggestion } from '../../../domain/text/nearest-word.ts'
import { Refusal } from './errors.ts'
import type { OperatorService } from './service/operator-service.ts'

/**
 * The error of a command that named something which does not exist, with where it was looked for, because that is
 * mostly what was wrong: another state or service than the one that was meant. For an organization also with the nearest
 * one that exists. Any other error as it is.
 * @param named what the command was given, one of which is the id
 * @param service the service that the command asked
 */
export async function explainMissing(
  error: unknown,
  named: readonly string[],
  service: OperatorService,
): Promise<unknown> {
  if (!(error instanceof Refusal)) return error
  const { message, status } = error
  if (status !== 404 && !message.startsWith('There is no ')) return error
  const { stateDirectory, url } = service
  const where = stateDirectory === null ? `at ${url}` : `in the state ${stateDirectory} (STATE_DIR)`
  const nearest = await nearestOrganization(message, named, service)
  return new Refusal(status, `${message}${nearest} It was looked for ${where}.`)
}

/** The suggestion of an organization in place of one that does not exist; empty: nothing is near. */
async function nearestOrganization(
  message: string,
  named: readonly string[],
  service: OperatorService,
): Promise<string> {
  const organizationId = named.find((id) =>
    ['.', ','].some((end) => message.startsWith(`There is no organization ${echoed(id)}${end}`)),
  )
  if (organizationId === undefined) return ''
  try {
    // One page of organizations is looked at.
    const { body } = await service.call(listOrganizations, { query: { limit: PAGE_ROWS_MAX } })
    const ids = body.data.map((organization) => organization.organizationId)
    return suggestion(organizationId, ids)
  } catch {
    // The suggestion is an extra. What went wrong with the command is said in any case.
    return ''
  }
}
