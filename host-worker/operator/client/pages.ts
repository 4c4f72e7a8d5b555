import { CommandError } from './errors.ts'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { AnswerTo, CallOf, OperatorService } from './operator-service.ts'

interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly unanswered?: readonly string[]
}

/** What an operation lists that answers with pages. */
export type ItemOf<Operation extends OperationEndpoint> =
  AnswerTo<Operation> extends { readonly body: Page<infer Item> } ? Item : never

/** The largest page that the interface gives. */
const PAGE_ROWS = 500

/**
 * Every item of a list, page by page. When databases did not answer, throws a `CommandError` that names them, after all other
 * items.
 */
export async function* itemsOf<Operation extends OperationEndpoint>(
  service: OperatorService,
  operation: Operation,
  call: CallOf<Operation> = {},
): AsyncGenerator<ItemOf<Operation>> {
  let cursor: string | null = null
  const missing: string[] = []
  do {
    const query = { ...call.query, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) }
    const answer: unknown = await service.call(operation, { ...call, query } as CallOf<Operation>)
    // The compiler does not follow an operation to the page that it answers with.
    const { data, pagination, unanswered = [] } = (answer as { readonly body: Page<ItemOf<Operation>> }).body
    yield* data
    missing.push(...unanswered)
    cursor = pagination.nextCursor
  } while (cursor !== null)
  failOnMissing(missing)
}

/** Throws when families' own databases did not answer, so that what was printed is not all there is. */
export function failOnMissing(familyIds: readonly string[]): void {
  if (familyIds.length === 0) return
  const names = [...new Set(familyIds)].toSorted().join(', ')
  throw new CommandError(
    `What the databases of these families hold is missing, because they did not answer: ${names}.`,
  )
}
