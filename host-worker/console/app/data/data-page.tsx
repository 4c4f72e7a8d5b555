import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { isAt } from '../../../../domain/text/http.ts'
import { titleOf } from '../../../../domain/text/words.ts'
import { Button, SelectField, TextField, calls } from '../kit/controls.tsx'
import { Dialog } from '../kit/dialog.tsx'
import {
  Badge,
  Card,
  Empty,
  Facts,
  PageHeader,
  Shown,
  countText,
  isolated,
  momentText,
} from '../kit/page.tsx'
import { PagedTable, type Column } from '../kit/table.tsx'
import { EraseContact } from '../organizations/erase-contact.tsx'
import type { OrganizationProps } from '../organizations/organization.ts'
import { isNothing } from '../service/client.ts'
import { useRead, useReadPages } from '../service/hooks.ts'
import type { Row } from '../service/operations.ts'
import { readsOf, useIdentity } from '../session.tsx'
import {
  addressOf,
  chosenIn,
  columnFieldsOf,
  dataRoutesIn,
  dayOf,
  detailOf,
  idFieldOf,
  linkOf,
  onwardFrom,
  parametersOf,
  placeOf,
  searchOf,
  startOf,
  type Chosen,
  type ContractDocument,
  type DataRoute,
  type Parameter,
  type Place,
} from './routes.ts'

/** A browser over everything that a tenant, or a member of it, can read, made from the contract document. */
export function Page({ organizationId }: OrganizationProps) {
  const reads = readsOf(useIdentity(), organizationId)
  const document = useRead<ContractDocument>('/api/v1/openapi.json')
  const [location] = useLocation()
  const address = location.replace(/^\/data\/?/, '').replace(/\/$/, '')
  if (document.state === 'ready') {
    const isRead = ({ template }: DataRoute) => reads?.some((open) => isAt(template, open)) ?? true
    const routes = dataRoutesIn(document.data).filter(isRead)
    return <DataPlace organizationId={organizationId} routes={routes} shown={address} />
  }
  return (
    <>
      <PageHeader title="Data" />
      <Shown reading={document} lines={8}>
        {() => null}
      </Shown>
    </>
  )
}

interface PlaceProps extends OrganizationProps {
  readonly routes: readonly DataRoute[]
  readonly shown: string
}

function DataPlace({ organizationId, routes, shown }: PlaceProps) {
  if (shown === '') return <Collections routes={routes} />
  const place = placeOf(routes, shown)
  const address = place === null ? null : addressOf(place.route.template, place.params)
  if (place === null || address === null)
    return (
      <>
        <PageHeader title="Data" crumbs={[DATA]} />
        <Empty title="There is no collection at this address.">The list of collections has every one.</Empty>
      </>
    )
  const View = place.route.isCollection ? CollectionView : RowView
  return (
    <View key={address} organizationId={organizationId} routes={routes} place={place} address={address} />
  )
}

const DATA = { title: 'Data', path: '/data' }

/** The pages between the list of collections and an address. */
function crumbsOf(routes: readonly DataRoute[], address: string) {
  const segments = address.split('/')
  return segments.slice(1).flatMap((_, index) => {
    const path = segments.slice(0, index + 1).join('/')
    const place = placeOf(routes, path)
    if (place === null) return []
    const title = place.route.isCollection ? place.route.title : (Object.values(place.params).at(-1) ?? '')
    return [{ title, path: `/data/${path}` }]
  })
}

function Collections({ routes }: { readonly routes: readonly DataRoute[] }) {
  const collections = routes.filter(({ isCollection, template }) => isCollection && !template.includes('{'))
  return (
    <>
      <PageHeader title="Data" />
      <div class="columns">
        {[...Map.groupBy(collections, ({ tag }) => tag)].map(([tag, ofTag]) => (
          <Card key={tag} title={tag}>
            <ul class="plain-list">
              {ofTag.map(({ template, title, isDeprecated }) => (
                <li key={template}>
                  <Link href={`/data/${template}`}>{title}</Link> {isDeprecated && <Badge>deprecated</Badge>}
                </li>
              ))}
            </ul>
          </Card>
        ))}
      </div>
    </>
  )
}

interface ViewProps extends OrganizationProps {
  readonly routes: readonly DataRoute[]
  readonly place: Place
  /** The path below `/data/` and `/api/v1/`. */
  readonly address: string
}

/** The rows of a collection, with its filters, which are in the address. */
function CollectionView({ routes, place, address }: Omit<ViewProps, 'organizationId'>) {
  const { route, params } = place
  const [opened, setOpened] = useState<Row | null>(null)
  const chosen = chosenIn(useSearch(), route.filters)
  const pages = useReadPages(`/api/v1/${address}`, chosen)
  const id = idFieldOf(route)
  const columns: readonly Column<Row>[] = [
    {
      title: titleOf(id),
      cell: (row) => {
        const detail = detailOf(routes, place, row)
        const name = textOf(row[id])
        return detail === null ? (
          <Button onClick={calls(setOpened, row)}>{name === '' ? 'Show' : isolated(name)}</Button>
        ) : (
          <Link href={`/data/${detail}`}>{isolated(name)}</Link>
        )
      },
    },
    ...columnFieldsOf(route).map((field): Column<Row> => ({
      title: titleOf(field),
      cell: (row) => <Value routes={routes} field={field} value={row[field]} row={{ ...params, ...row }} />,
    })),
  ]
  const { failure, items } = pages
  const isRefused = failure !== null && isNothing(failure) && items.length === 0
  return (
    <>
      <PageHeader title={route.title} crumbs={[DATA, ...crumbsOf(routes, address)]} />
      <FilterForm filters={route.filters} chosen={chosen} address={address} />
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
        <Dialog title={textOf(opened[id])} onClose={calls(setOpened, null)}>
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

/** The address of a contact, which is a person. */
const CONTACT = 'contacts/{contactId}'

/** One row with everything in it, and where one can go from it. */
function RowView({ organizationId, routes, place, address }: ViewProps) {
  const chosen = chosenIn(useSearch(), place.route.filters)
  const row = useRead<Row>(`/api/v1/${address}`, chosen)
  const onward = onwardFrom(routes, place)
  const id = place.params[parametersOf(place.route.template).at(-1) ?? ''] ?? ''
  const title = (row.state === 'ready' ? nameOf(row.data) : null) ?? id
  const crumbs = [DATA, ...crumbsOf(routes, address)]
  if (row.state === 'failed' && isNothing(row.failure))
    return (
      <>
        <PageHeader title={title} crumbs={crumbs} />
        <Empty title="There is nothing at this address.">{row.failure.message}</Empty>
      </>
    )
  return (
    <>
      <PageHeader
        title={title}
        crumbs={crumbs}
        actions={
          place.route.template === CONTACT ? (
            <EraseContact organizationId={organizationId} contactId={id} name={title} onErased={row.reload} />
          ) : undefined
        }
      />
      {place.route.filters.length > 0 && (
        <FilterForm filters={place.route.filters} chosen={chosen} address={address} />
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

/** What people call a row: by its name, else by what reaches it. Null: it has only its id. */
function nameOf(row: Row): string | null {
  const { name, title, firstName, lastName, email, phone } = row
  const whole = [firstName, lastName].map(textOf).join(' ')
  const names = [name, title, whole, email, phone].map((text) => textOf(text).trim())
  return names.find((text) => text !== '') ?? null
}

interface ValueProps {
  readonly routes: readonly DataRoute[]
  readonly field: string
  readonly value: unknown
  /** The row around the value, whose ids may be needed by a link. */
  readonly row: Row
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Any value of a row: ids as links, nested values as lists and definitions. */
function Value({ routes, field, value, row }: ValueProps): ComponentChildren {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return numberText(field, value, row)
  if (typeof value === 'string') {
    if (INSTANT.test(value)) return <time dateTime={value}>{momentText(value)}</time>
    const address = linkOf(routes, field, value, row)
    return address === null ? isolated(value) : <Link href={`/data/${address}`}>{isolated(value)}</Link>
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return null
    return (
      <ul class="plain-list">
        {value.map((item: unknown, index) => (
          <li key={index}>
            <Value routes={routes} field={field} value={item} row={row} />
          </li>
        ))}
      </ul>
    )
  }
  return <RowFacts routes={routes} row={value as Row} within={row} />
}

function numberText(field: string, value: number, { currency }: Row): string {
  if (/latitude|longitude/.test(field)) return String(value)
  if (!field.endsWith('Cents')) return countText(value)
  return `${(value / 100).toFixed(2)} ${typeof currency === 'string' ? currency.toUpperCase() : ''}`.trim()
}

/** Every field of a row with its value. */
function RowFacts({
  routes,
  row,
  within = {},
}: {
  readonly routes: readonly DataRoute[]
  readonly row: Row
  readonly within?: Row
}) {
  const names = Object.keys(row)
  if (names.length === 0) return <span class="soft">none</span>
  return (
    <Facts
      facts={names.map((name) => {
        const value = row[name]
        const isNothing = value === null || value === '' || (Array.isArray(value) && value.length === 0)
        const shown = <Value routes={routes} field={name} value={value} row={{ ...within, ...row }} />
        return [titleOf(name), isNothing ? null : shown] as const
      })}
    />
  )
}

interface FilterFormProps extends Pick<ViewProps, 'address'> {
  readonly filters: readonly Parameter[]
  readonly chosen: Chosen
}

/** A control for each filter of a collection, by its type in the contract document. */
function FilterForm({ filters, chosen, address }: FilterFormProps) {
  const [, navigate] = useLocation()
  const choose = (next: Chosen): void => {
    navigate(`/data/${address}${searchOf(next)}`)
  }
  const [draft, setDraft] = useState(chosen)
  useEffect(() => {
    setDraft(chosen)
  }, [JSON.stringify(chosen)])
  return (
    <form
      class="card filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        choose(draft)
      }}
    >
      {filters.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={draft[filter.name] ?? ''}
          onValue={(value) => {
            setDraft((before) => ({ ...before, [filter.name]: value }))
          }}
        />
      ))}
      <div class="buttons">
        <Button type="submit">Filter</Button>
        {Object.keys(chosen).length > 0 && <Button onClick={calls(choose, {})}>Clear</Button>}
      </div>
    </form>
  )
}

interface FilterFieldProps {
  readonly filter: Parameter
  readonly value: string
  readonly onValue: (value: string) => void
}

function FilterField({ filter: { name, schema = {} }, value, onValue }: FilterFieldProps) {
  const label = titleOf(name)
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.filter((one) => one !== null)
  if (choices !== undefined) {
    const named = choices.map((choice) => ({ value: choice, label: CHOICES[choice] ?? titleOf(choice) }))
    return (
      <SelectField
        label={label}
        value={value}
        onValue={onValue}
        options={[{ value: '', label: schema.default === undefined ? 'Any' : 'Default' }, ...named]}
      />
    )
  }
  if (schema.format === 'date-time')
    return (
      <TextField
        label={label}
        type="date"
        value={dayOf(value)}
        onValue={(day) => {
          onValue(startOf(day))
        }}
      />
    )
  const number = schema.type === 'integer' ? ({ inputMode: 'numeric' } as const) : {}
  return <TextField {...number} label={label} value={value} onValue={onValue} />
}

const CHOICES: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' }
