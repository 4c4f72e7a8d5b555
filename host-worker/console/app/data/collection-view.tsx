import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/input/dialog.tsx'
import { isolated } from '../kit/isolated.tsx'
import { PagedTable } from '../kit/table/paged-table.tsx'
import { Empty } from '../kit/states.tsx'
import type { Column } from '../kit/table/table.tsx'
import { useReadPages } from '../service/use-pages.ts'
import type { Row } from '../service/operations.ts'
import { isNothing } from '../service/failure.ts'
import type { Place } from './addresses.ts'
import { detailOf, idFieldOf } from './addresses.ts'
import { columnFieldsOf, wordsOf } from './columns.ts'
import type { DataRoute } from './contract.ts'
import { chosenIn, searchOf } from './filters.ts'
import { FilterForm } from './filter-form.tsx'
import { RowFacts, Value } from './values.tsx'

interface CollectionViewProps {
  readonly routes: readonly DataRoute[]
  readonly place: Place
  /** The path below `/data/` and `/api/v1/`. */
  readonly address: string
}

/** The rows of a collection, with its filters, which are in the address. */
export function CollectionView({ routes, place, address }: CollectionViewProps) {
  const { route, params } = place
  const search = useSearch()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<Row | null>(null)
  const chosen = chosenIn(search, route.filters)
  const pages = useReadPages(`/api/v1/${address}`, chosen)
  const id = idFieldOf(route)
  const columns: readonly Column<Row>[] = [
    {
      title: wordsOf(id),
      cell: (row) => {
        const detail = detailOf(routes, place, row)
        const name = textOf(row[id])
        return detail === null ? (
          <Button
            onClick={() => {
              setOpened(row)
            }}
          >
            {name === '' ? 'Show' : isolated(name)}
          </Button>
        ) : (
          <Link href={`/data/${detail}`}>{isolated(name)}</Link>
        )
      },
    },
    ...columnFieldsOf(route).map((field): Column<Row> => ({
      title: wordsOf(field),
      cell: (row) => <Value routes={routes} field={field} value={row[field]} row={{ ...params, ...row }} />,
    })),
  ]
  const { failure, items } = pages
  const isRefused = failure !== null && isNothing(failure) && items.length === 0
  return (
    <>
      <FilterForm
        filters={route.filters}
        chosen={chosen}
        onChosen={(next) => {
          navigate(`/data/${address}${searchOf(next)}`)
        }}
      />
      {isRefused ? (
        <Empty title="There is nothing to show here.">{failure.message}</Empty>
      ) : (
        <PagedTable
          label={route.title}
          pages={pages}
          columns={columns}
          rowKey={(row) => rowKeyOf(row, id)}
          empty={<Empty title="There are no such rows." />}
        />
      )}
      {opened !== null && (
        <Dialog
          title={textOf(opened[id])}
          onClose={() => {
            setOpened(null)
          }}
        >
          <RowFacts routes={routes} row={opened} />
        </Dialog>
      )}
    </>
  )
}

/** Sums of link clicks have no id of their own, and a removal is told apart by its collection too. */
function rowKeyOf(row: Row, id: string): string {
  return JSON.stringify([row[id], row.collection, row.id, row.dimension, row.value])
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
