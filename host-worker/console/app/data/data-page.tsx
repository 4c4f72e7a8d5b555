import { Link, useLocation } from 'wouter-preact'
import { Badge } from '../kit/badge.tsx'
import { Card } from '../kit/card.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import { useRead } from '../service/use-query.ts'
import { addressOf, placeOf } from './addresses.ts'
import { CollectionView } from './collection-view.tsx'
import type { ContractDocument, DataRoute } from './contract.ts'
import { dataRoutesIn, parametersOf } from './contract.ts'
import { RowView } from './row-view.tsx'

/** A browser over everything that a tenant can read, made from the contract document. */
export function Page() {
  const document = useRead<ContractDocument>('/api/v1/openapi.json')
  const [location] = useLocation()
  const address = location.replace(/^\/data\/?/, '').replace(/\/$/, '')
  if (document.state === 'ready') return <DataPlace routes={dataRoutesIn(document.data)} address={address} />
  return (
    <>
      <PageHeader title="Data" />
      <Shown reading={document} lines={8}>
        {() => null}
      </Shown>
    </>
  )
}

interface DataPlaceProps {
  readonly routes: readonly DataRoute[]
  readonly address: string
}

function DataPlace({ routes, address: shown }: DataPlaceProps) {
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
  const { route, params } = place
  const title = route.isCollection ? route.title : (params[parametersOf(route.template).at(-1) ?? ''] ?? '')
  return (
    <>
      <PageHeader title={title} crumbs={[DATA, ...crumbsOf(routes, address)]} />
      {route.isCollection ? (
        <CollectionView key={address} routes={routes} place={place} address={address} />
      ) : (
        <RowView key={address} routes={routes} place={place} address={address} />
      )}
    </>
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
