import { CommandError } from './errors.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { AnswerTo, CallOf, OperatorService } from './service/operator-service.ts'

interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly unanswered?: readonly string[]
  readonly unfinished?: readonly string[]
}

/** An item of the pages with which an operation replies. */
export type ItemOf<Operation extends OperationEndpoint> =
  AnswerTo<Operation> extends { readonly body: Page<infer Item> } ? Item : never

/**
 * Yields every item of a list, page by page. When databases did not respond, throws a `CommandError` that names them,
 * after all other items, also when its reader wants no more of them.
 * @param note called for families whose creation was never finished
 */
export async function* itemsOf<Operation extends OperationEndpoint>(
  service: OperatorService,
  operation: Operation,
  call: CallOf<Operation> = {},
  note: (line: string) => void = () => undefined,
): AsyncGenerator<ItemOf<Operation>> {
  let cursor: string | null = null
  const missing: string[] = []
  const begun: string[] = []
  let isWhole = true
  try {
    do {
      isWhole = false
      const query = { limit: PAGE_ROWS_MAX, ...call.query, ...(cursor === null ? {} : { cursor }) }
      const answer: unknown = await service.call(operation, { ...call, query } as CallOf<Operation>)
      // The compiler cannot infer the type of the page from the operation.
      const { body } = answer as { readonly body: Page<ItemOf<Operation>> }
      const { data, pagination, unanswered = [], unfinished = [] } = body
      missing.push(...unanswered)
      begun.push(...unfinished)
      isWhole = true
      yield* data
      cursor = pagination.nextCursor
    } while (cursor !== null)
  } finally {
    // A page that failed says so itself.
    if (isWhole) {
      noteUnfinished(begun, note)
      failOnMissing(missing)
    }
  }
}

/** Names families whose creation was never finished. They hold nothing, so that nothing is missing because of them. */
export function noteUnfinished(familyIds: readonly string[], note: (line: string) => void): void {
  if (familyIds.length === 0) return
  note(`Begun and never finished: ${namesOf(familyIds)}. "org create" takes that up again.`)
}

/** Throws when families' own databases did not respond, because what was printed is then incomplete. */
export function failOnMissing(familyIds: readonly string[]): void {
  if (familyIds.length === 0) return
  throw new CommandError(
    `What the databases of these families hold is missing, because they did not answer: ${namesOf(familyIds)}.`,
  )
}

function namesOf(familyIds: readonly string[]): string {
  return [...new Set(familyIds)].toSorted().join(', ')
}
