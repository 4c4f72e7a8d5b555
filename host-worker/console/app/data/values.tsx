import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { Facts } from '../kit/facts.tsx'
import { isolated } from '../kit/isolated.tsx'
import { countText, momentText } from '../kit/text.ts'
import type { Row } from '../service/operations.ts'
import { linkOf } from './addresses.ts'
import { wordsOf } from './columns.ts'
import type { DataRoute } from './contract.ts'

interface ValueProps {
  readonly routes: readonly DataRoute[]
  readonly field: string
  readonly value: unknown
  /** The row around the value, whose ids may be needed by a link. */
  readonly row: Row
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Any value of a row: ids as links, nested values as lists and definitions. */
export function Value({ routes, field, value, row }: ValueProps): ComponentChildren {
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
export function RowFacts({
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
        return [wordsOf(name), isNothing ? null : shown] as const
      })}
    />
  )
}
