import { Link, useLocation, useSearch } from 'wouter-preact'
import { Card } from '../kit/card.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import { useRead } from '../service/use-query.ts'
import { isNothing } from '../service/failure.ts'
import type { Row } from '../service/operations.ts'
import type { Place } from './addresses.ts'
import { onwardFrom } from './addresses.ts'
import type { DataRoute } from './contract.ts'
import { FilterForm } from './filter-form.tsx'
import { chosenIn, searchOf } from './filters.ts'
import { RowFacts } from './values.tsx'

interface RowViewProps {
  readonly routes: readonly DataRoute[]
  readonly place: Place
  readonly address: string
}

/** One row with everything in it, and where one can go from it. */
export function RowView({ routes, place, address }: RowViewProps) {
  const [, navigate] = useLocation()
  const chosen = chosenIn(useSearch(), place.route.filters)
  const row = useRead<Row>(`/api/v1/${address}`, chosen)
  const onward = onwardFrom(routes, place)
  if (row.state === 'failed' && isNothing(row.failure))
    return <Empty title="There is nothing at this address.">{row.failure.message}</Empty>
  return (
    <>
      {place.route.filters.length > 0 && (
        <FilterForm
          filters={place.route.filters}
          chosen={chosen}
          onChosen={(next) => {
            navigate(`/data/${address}${searchOf(next)}`)
          }}
        />
      )}
      <Card title="Fields">
        <Shown reading={row} lines={8}>
          {(data) => <RowFacts routes={routes} row={data} within={place.params} />}
        </Shown>
      </Card>
      {onward.length > 0 && (
        <Card title="Related">
          <ul class="plain-list">
            {onward.map(({ title, address: to }) => (
              <li key={to}>
                <Link href={`/data/${to}`}>{title}</Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}
