import { beforeAll, describe, expect, test } from 'vitest'
import type { Row } from './rows.ts'
import type { Filter, Operation, Type } from './table.ts'
import { keysOf, notNull, operations, served, textOf, typeAt } from './table.ts'
import type { World } from './world.ts'
import { openWorld, shown } from './world.ts'

// The service serves what the table says of rows that are known, in both places: their fields, what each filter finds,
// their order, and what is refused. Nothing that is expected here is derived from the product's own records.

const lists = operations.filter(({ does, filters }) => does === 'list' && filters.length > 0)
const details = operations.filter(({ does }) => does === 'one')

/** The rows that a list or a detail draws from: those of its type, whatever keys it adds or leaves out. */
const rowsOf = ({ typeText }: Operation): readonly Row[] =>
  shown[typeText] ?? shown[typeText.split(' ', 1)[0] ?? ''] ?? []

/** The paths of a list with its rows: one, or one for each of some parents. */
function pathsOf(operation: Operation): readonly (readonly [path: string, rows: readonly Row[]])[] {
  const [, parameter] = /\{(\w+)\}/.exec(operation.path) ?? []
  const rows = rowsOf(operation)
  if (parameter === undefined) return [[operation.path, rows]]
  const parents = new Set(rows.map((row) => row[parameter]).filter((id) => id !== null))
  return [...parents].map((id) => [
    operation.path.replace(`{${parameter}}`, id as string),
    rows.filter((row) => row[parameter] === id),
  ])
}

/** The value at a path of a row, such as `site.siteId`. */
const at = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Row | null)?.[name], row)

function matches(row: Row, { field, comparison }: Filter, value: unknown): boolean {
  const own = at(row, field) as string | number | null
  const asked = value as string | number
  if (comparison === 'in') return (own as unknown as readonly unknown[]).includes(value)
  if (own === null) return false
  switch (comparison) {
    case '=':
      return own === asked
    case '~':
      return String(own).toLowerCase() === String(asked).toLowerCase()
    case '<=':
      return asked <= own
    case '>=':
      return asked >= own
    case '<':
      return own < asked
  }
}

/** The order of the table: null last, then as it says. Texts compare by their code units. */
function ordered(rows: readonly Row[], order: Operation['order']): readonly Row[] {
  return rows.toSorted((left, right) => {
    for (const { field, direction } of order) {
      const [one, other] = [left[field], right[field]] as (string | number | null)[]
      if (one === other) continue
      if (one == null || other == null) return one == null ? 1 : -1
      return one < other === (direction === 'asc') ? -1 : 1
    }
    return 0
  })
}

/** What tells a row from others of its type: its id, but for purchases, whose ids the service makes. */
const identity = (row: Row, { type, typeText }: Operation): unknown =>
  typeText === 'Review'
    ? `${String(row.organizationId)} ${String(row.reviewId)}`
    : row[typeText === 'Purchase' ? 'subtotalCents' : (keysOf(type)[0]?.name ?? '')]

/** The values to ask a filter for: all words of an enumeration, both booleans, and what the rows have. */
function valuesOf(
  { type }: Operation,
  { field, comparison }: Filter,
  rows: readonly Row[],
): readonly unknown[] {
  const of = typeAt(type, field)
  if (of.kind === 'one of') return of.words
  if (textOf(notNull(of)) === 'bool') return [true, false]
  const found = rows.flatMap((row) =>
    comparison === 'in' ? (at(row, field) as unknown[]) : [at(row, field)],
  )
  return [...new Set(found.filter((value) => value !== null))].slice(0, 9)
}

/** Other ways to write a value that the service must understand as the same. */
function spellings({ comparison, field }: Filter, value: unknown): readonly string[] {
  const text = String(value)
  if (comparison !== '~') return [text]
  return field === 'email'
    ? [text, text.toUpperCase()]
    : [text, text.replace('+1', ''), text.replace(/\+1(...)(...)(....)/, '($1) $2-$3')]
}

/** Values that a filter or parameter of a type refuses. */
function unfit(type: Type): readonly string[] {
  if (type.kind === 'one of') return ['nothing', (type.words[0] ?? '').toUpperCase()]
  const word = textOf(notNull(type))
  return (
    {
      bool: ['TRUE', '1'],
      int: ['1.5', 'x'],
      stars: ['0', '6', '1.5'],
      ts: ['2026-01-01', '2026-01-01T00:00:00'],
    }[word] ?? []
  )
}

describe('the rows of this test tell fields apart', () => {
  test.each(lists.filter(({ typeText }) => typeText !== 'Removal'))('$path', (operation) => {
    const rows = rowsOf(operation)
    for (const { name, type } of keysOf(operation.type)) {
      if (name === 'updatedAt' || name === 'purchaseId') continue
      const values = rows.map((row) => row[name])
      expect([name, values.includes(undefined)]).toEqual([name, false])
      expect([name, values.includes(null)]).toEqual([name, type.nullable])
      expect(values.some((value) => value !== null)).toBe(true)
      if (type.kind === 'one of')
        expect([name, new Set(values.filter((value) => value !== null))]).toEqual([name, new Set(type.words)])
    }
    const fields = leavesOf(operation.type)
    for (const filter of operation.filters) {
      if (filter.field === 'updatedAt') continue
      const values = valuesOf(operation, filter, rows)
      const find = (field: string) =>
        values.map((value) => rows.map((row) => matches(row, { ...filter, field }, value)).join())
      const own = find(filter.field)
      expect([filter.name, new Set(own).size]).toEqual([
        filter.name,
        Math.max(new Set(own).size, Math.min(3, values.length)),
      ])
      for (const other of fields.filter(({ field }) => field !== filter.field)) {
        const isAlike =
          textOf(other.type).replace('?', '') ===
          textOf(typeAt(operation.type, filter.field)).replace('?', '')
        if (isAlike)
          expect([filter.name, other.field, find(other.field)]).not.toEqual([filter.name, other.field, own])
      }
    }
  })
})

/** The fields of an object type that have no fields themselves, with their paths. */
function leavesOf(type: Type | null, path = ''): readonly { readonly field: string; readonly type: Type }[] {
  return keysOf(type).flatMap(({ name, type: of, there }) => {
    if (there === 'may' || name === 'updatedAt' || name === 'purchaseId') return []
    return of.kind === 'shape' && !of.nullable
      ? leavesOf(of, `${path}${name}.`)
      : [{ field: path + name, type: of }]
  })
}

describe.each(['shared', 'own'] as const)('in the place %s', (place) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(place)
  })

  const ask = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const url = `${path}?${new URLSearchParams(query).toString()}`
    const response = await world.service.sendUnchecked(url, { key: world.key })
    return { status: response.status, body: (await response.json()) as Row, headers: response.headers, url }
  }
  const page = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const { status, body, url } = await ask(path, query)
    expect([url, status, body.error]).toEqual([url, 200, undefined])
    return body as unknown as Page
  }
  const refuses = async (path: string, query: Readonly<Record<string, string>>) => {
    const { status, body, url } = await ask(path, query)
    expect([url, status, Object.keys(body)]).toEqual([url, 400, ['error']])
    expect(body.error).toContain(Object.keys(query).at(-1))
  }
  /** A list in pages of five. */
  const walk = async (path: string, query: Readonly<Record<string, string>>) => {
    const data: Row[] = []
    for (let cursor: string | null = ''; cursor !== null && data.length < 200;) {
      const next: Page = await page(path, { ...query, limit: '5', cursor })
      data.push(...next.data)
      cursor = next.pagination.nextCursor
    }
    return data
  }
  /** The rows with what the service alone knows: when it saw them change, and the ids of purchases. */
  const completed = async (
    operation: Operation,
    path: string,
    rows: readonly Row[],
  ): Promise<readonly Row[]> => {
    const { data } = await page(path, { limit: '500' })
    return rows.map((row) => {
      const one = data.find((each) => identity(each, operation) === identity(row, operation))
      const { purchaseId } = one ?? {}
      return { ...row, updatedAt: one?.updatedAt, ...(purchaseId === undefined ? {} : { purchaseId }) }
    })
  }

  describe.each(lists.filter(({ typeText }) => typeText !== 'Removal'))('$path', (operation) => {
    const { type, filters, order, sync, codes, limits } = operation
    const paths = pathsOf(operation)
    const as = (rows: readonly Row[], withCodes = false) => rows.map((row) => served(row, type, withCodes))

    test('serves these rows with these keys, in order, whole and in pages', async () => {
      for (const [path, made] of paths) {
        const rows = await completed(operation, path, made)
        const whole = await page(path, { limit: '500' })
        expect(whole.data).toEqual(as(ordered(rows, order)))
        expect(await walk(path, {})).toEqual(whole.data)
        if (codes) {
          const { data } = await page(path, { includeCodes: 'true' })
          expect(data).toEqual(as(ordered(rows, order), true))
        } else await refuses(path, { includeCodes: 'true' })
        if (sync.length === 0) await refuses(path, { updatedAfter: '2026-01-01T00:00:00Z' })
        for (const query of sync.length === 0
          ? []
          : [{ updatedAfter: '2026-01-01T00:00:00Z' }, { updatedBefore: '2027-01-01T00:00:00Z' }])
          expect(await walk(path, query)).toEqual(as(ordered(rows, sync)))
      }
    })

    test.each(filters)('$name finds the rows that it should, and none of the others', async (filter) => {
      for (const [path, made] of paths.slice(0, 2)) {
        const rows = await completed(operation, path, made)
        const others = Object.fromEntries(filters.map(({ name }) => [name, null]))
        for (const value of valuesOf(operation, filter, rows))
          for (const spelling of spellings(filter, value)) {
            const shownPage = await page(path, { limit: '500', [filter.name]: spelling })
            const ofRows = rows.filter((row) => matches(row, filter, value))
            const isSync = filter.field === 'updatedAt'
            expect([value, shownPage.data]).toEqual([value, as(ordered(ofRows, isSync ? sync : order))])
            const echo = filter.comparison === '~' ? String(value).toLowerCase() : value
            expect(shownPage.filters).toEqual({ ...others, [filter.name]: echo })
          }
        const of = typeAt(type, filter.field)
        for (const value of unfit(of)) await refuses(path, { [filter.name]: value })
      }
    })

    test('takes these parameters and no others', async () => {
      const path = paths[0]?.[0] ?? ''
      const { filters: echoed, pagination } = await page(path)
      expect(echoed).toEqual(Object.fromEntries(filters.map(({ name }) => [name, null])))
      expect(pagination.limit).toBe(limits.usual)
      expect((await page(path, { limit: String(limits.most) })).pagination.limit).toBe(limits.most)
      expect((await page(path, { limit: '5000' })).pagination.limit).toBe(limits.most)
      expect((await page(path, { limit: '0' })).pagination.limit).toBe(limits.usual)
      const own = [...filters, ...operation.parameters].map(({ name }) => name)
      for (const name of everyParameter) if (!own.includes(name)) await refuses(path, { [name]: 'x' })
    })

    if (sync.length > 0)
      test('says when what a row shows last changed', async () => {
        for (const [path, made] of paths)
          for (const row of await completed(operation, path, made)) {
            const changedAt = world.changedAt(operation.typeText.split(' ', 1)[0] ?? '', row)
            expect([path, identity(row, operation), row.updatedAt]).toEqual([
              path,
              identity(row, operation),
              changedAt,
            ])
          }
      })

    test('is deprecated, or not', async () => {
      const { headers } = await ask(paths[0]?.[0] ?? '')
      const isFormer = operation.path.includes('/legacyvendor/')
      expect([
        headers.has('deprecation'),
        headers.get('link')?.includes('rel="successor-version"') ?? false,
      ]).toEqual([isFormer, isFormer])
    })
  })

  describe.each(details)('$path', (operation) => {
    const { type, codes } = operation
    const own = (row: Row) =>
      operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        String(
          (operation.typeText === 'SurveyResponse' && name) === 'surveyId'
            ? row.surveyId
            : (row.purchaseId ?? identity(row, operation)),
        ),
      )

    test('serves each of its rows, bare, and no other', async () => {
      const list =
        lists.find(
          ({ typeText, path }) => typeText.split(' -')[0] === operation.typeText && !path.includes('{'),
        ) ?? fail()
      for (const row of await completed(list, list.path, rowsOf(operation))) {
        for (const withCodes of codes ? [false, true] : [false]) {
          const { status, body } = await ask(own(row), withCodes ? { includeCodes: 'true' } : {})
          expect([status, body]).toEqual([200, served(row, type, withCodes)])
        }
        const missing = await ask(`${own(row)}x`)
        expect([missing.status, Object.keys(missing.body)]).toEqual([404, ['error']])
      }
      const path = own((await completed(list, list.path, rowsOf(operation)))[0] ?? {})
      for (const name of ['limit', 'cursor', 'x', ...(codes ? [] : ['includeCodes'])])
        await refuses(path, { [name]: '1' })
    })
  })

  test('nothing failed inside', () => {
    expect(world.service.errors).toEqual([])
  })
})

interface Page {
  readonly organizationId: string
  readonly filters: Row
  readonly data: readonly Row[]
  readonly pagination: {
    readonly limit: number
    readonly hasMore: boolean
    readonly nextCursor: string | null
  }
}

/** The name of every parameter that any operation takes. */
const everyParameter = new Set(
  operations
    .flatMap(({ filters, parameters }) => [...filters, ...parameters].map(({ name }) => name))
    .filter((name) => name !== 'limit'),
)

function fail(): never {
  throw new Error('The table has no list for this detail')
}
