import type { PosCapabilities } from '../../ports/sources.ts'
import type { ReadQuery } from '../../ports/records.ts'
import type { ReadEndpoint } from '../record/endpoint.ts'

/**
 * The problem of the filters of a read at a source with these capabilities, as a sentence for the caller. Null when
 * every filter that needs another one at this source has it.
 */
export function unmetNeed(
  endpoint: ReadEndpoint,
  query: ReadQuery,
  capabilities: PosCapabilities,
): string | null {
  if (endpoint.kind !== 'collection' || query.kind !== 'page') return null
  const isGiven = (parameter: string) => {
    const filter = endpoint.filters[parameter]
    return query.where.some(({ field, operator }) => field === filter?.field && operator === filter.operator)
  }
  const unmet = endpoint.filterNeeds.find(
    ({ filter, needs, at }) => capabilities[at] && isGiven(filter) && !isGiven(needs),
  )
  return unmet === undefined
    ? null
    : `Parameter ${unmet.filter} needs ${unmet.needs} with it: the point-of-sale system of this organization ` +
        'finds such rows only from an instant on.'
}
