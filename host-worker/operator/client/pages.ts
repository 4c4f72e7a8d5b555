import type { OperatorOperationId } from '../../../domain/operator-catalog.ts'
import type { AnswerTo, CallOf, OperatorService } from './operator-service.ts'

/** The operations that answer with a page of a list. */
type ListId = {
  [Id in OperatorOperationId]: AnswerTo<Id> extends { readonly body: Page<unknown> } ? Id : never
}[OperatorOperationId]

interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly nextCursor: string | null }
}

type ItemOf<Id extends ListId> = AnswerTo<Id> extends { readonly body: Page<infer Item> } ? Item : never

/** The largest page that the interface gives. */
const PAGE_ROWS = 500

/** Every item of a list, page by page. */
export async function* itemsOf<Id extends ListId>(
  service: OperatorService,
  id: Id,
  call: CallOf<Id> = {},
): AsyncGenerator<ItemOf<Id>> {
  let cursor: string | null = null
  do {
    const query = { ...call.query, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) }
    const answer: unknown = await service.call(id, { ...call, query } as CallOf<Id>)
    // The compiler does not follow the id from the operation to the page that it answers with.
    const { data, pagination } = (answer as { readonly body: Page<ItemOf<Id>> }).body
    yield* data
    cursor = pagination.nextCursor
  } while (cursor !== null)
}
