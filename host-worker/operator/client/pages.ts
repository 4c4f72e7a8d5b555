import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { AnswerTo, CallOf, OperatorService } from './operator-service.ts'

interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly nextCursor: string | null }
}

/** What an operation lists that answers with pages. */
export type ItemOf<Operation extends OperationEndpoint> =
  AnswerTo<Operation> extends { readonly body: Page<infer Item> } ? Item : never

/** The largest page that the interface gives. */
const PAGE_ROWS = 500

/** Every item of a list, page by page. */
export async function* itemsOf<Operation extends OperationEndpoint>(
  service: OperatorService,
  operation: Operation,
  call: CallOf<Operation> = {},
): AsyncGenerator<ItemOf<Operation>> {
  let cursor: string | null = null
  do {
    const query = { ...call.query, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) }
    const answer: unknown = await service.call(operation, { ...call, query } as CallOf<Operation>)
    // The compiler does not follow an operation to the page that it answers with.
    const { data, pagination } = (answer as { readonly body: Page<ItemOf<Operation>> }).body
    yield* data
    cursor = pagination.nextCursor
  } while (cursor !== null)
}
