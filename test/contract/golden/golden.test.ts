import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from '../../support/services/service.ts'
import { kindsOf, requestsOf } from './requests.ts'
import type { Row } from './rows.ts'
import {
  headersOf,
  keysOf,
  notNull,
  operations,
  served,
  textOf,
  typeAt,
  type Filter,
  type Operation,
  type Type,
} from './table.ts'
import { able, CHILD, importLines, linesByKind, openWorld, POS, shown, type World } from './world.ts'

// The service serves what the table says of rows that are known, in both places: their fields, what each filter finds,
// their order, and what is refused. Nothing that is expected here is derived from the product's own records.

const lists = operations.filter(({ does, filters }) => does === 'list' && filters.length > 0)
const details = operations.filter(({ does }) => does === 'one')

/** The rows that a list or a detail draws from: those of its type, whatever keys it adds or leaves out. */
const rowsOf = ({ typeText }: Operation): readonly Row[] =>
  shown[typeText] ?? shown[typeText.split(' ', 1)[0] ?? ''] ?? []

/** The detail of the parent of what is nested; undefined: it is not nested. */
const parentOf = ({ path }: Operation): Operation | undefined =>
  details.find((one) => path.startsWith(`${one.path}/`))

/** The paths of a list with its rows: one, or one for each parent that has rows and one that has none. */
function pathsOf(operation: Operation): readonly (readonly [path: string, rows: readonly Row[]])[] {
  const [, parameter] = /\{(\w+)\}/.exec(operation.path) ?? []
  const parent = parentOf(operation)
  const rows = rowsOf(operation)
  if (parameter === undefined || parent === undefined) return [[operation.path, rows]]
  const having = new Set<unknown>(rows.map((row) => row[parameter]).filter((id) => id !== null))
  const childless = rowsOf(parent)
    .map((row) => identity(row, parent))
    .filter((id) => !having.has(id))
  return [...having, ...childless.slice(0, 1)].map((id) => [
    operation.path.replace(`{${parameter}}`, id as string),
    rows.filter((row) => row[parameter] === id),
  ])
}

/** The path of a detail for its row, or for one with another id or another parent. */
function pathOf(
  operation: Operation,
  row: Row,
  instead: { readonly id?: unknown; readonly parent?: unknown } = {},
) {
  const id = instead.id ?? row.purchaseId ?? identity(row, operation)
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(name === names.at(-1) ? id : (instead.parent ?? row[name]))),
  )
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
function spellings({ comparison, field }: Filter, value: unknown, isFirst: boolean): readonly string[] {
  const text = String(value)
  if ((comparison === '<=' || comparison === '<') && field.endsWith('At'))
    return isFirst ? [text, withOffset(text, 330), withOffset(text, -210), text.replace('Z', '999Z')] : [text]
  if (comparison !== '~') return [text]
  return field === 'email'
    ? [text, text.toUpperCase()]
    : [text, text.replace('+1', ''), text.replace(/\+1(...)(...)(....)/, '($1) $2-$3')]
}

/** An instant in UTC as clocks with another offset show it. */
function withOffset(instant: string, minutes: number): string {
  const local = new Date(Date.parse(instant) + minutes * 60_000).toISOString().slice(0, -1)
  const size = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${local}${minutes < 0 ? '-' : '+'}${size.map((part) => String(part).padStart(2, '0')).join(':')}`
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
    const [natural] = operation.order
    const ties = pathsOf(operation).map(
      ([, some]) => some.length - new Set(some.map((row) => row[natural?.field ?? ''])).size,
    )
    expect(Math.max(...ties)).toBeGreaterThan(0)
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

/** Every row in one place takes seconds; test/ci/suites/own-places.sh runs the other one. */
const place = process.env.TEST_PLACE === 'own' ? 'own' : 'shared'

describe(`in the place ${place}`, () => {
  let world: World
  /** The key of an organization that has one row of each kind, whose ids end with `stranger`. */
  let stranger: string
  beforeAll(async () => {
    world = await openWorld(place)
    const { service, admin } = world
    const posSource = { ...POS, tenant: 'south' } as const
    stranger = await service.addOrganization('strangers', { posSource, ...able })
    for (const [kind, [, line]] of Object.entries(linesByKind)) {
      const text = JSON.stringify(line).replaceAll(/"(\w+Id)-\d+"/g, '"$1-stranger"')
      await importLines(service, admin, 'strangers', kind, [JSON.parse(text) as Row])
    }
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
  /** A list in pages of this size. Rows that tie stand on different pages. */
  const walk = async (path: string, query: Readonly<Record<string, string>>, limit: 1 | 2) => {
    const data: Row[] = []
    for (let cursor: string | null = ''; cursor !== null && data.length < 200;) {
      const next: Page = await page(path, { ...query, limit: String(limit), cursor })
      // A list may be empty, but a cursor leads to rows.
      expect([path, cursor === '' || next.data.length > 0]).toEqual([path, true])
      expect(next.pagination.hasMore).toBe(next.pagination.nextCursor !== null)
      data.push(...next.data)
      cursor = next.pagination.nextCursor
    }
    return data
  }
  /** All of an answer, but for what is of this request alone. */
  const answered = async (path: string, key = world.key) => {
    const response = await world.service.sendUnchecked(path, { key })
    const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date', 'link'].includes(name))
    return { status: response.status, headers, text: await response.text() }
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
        expect(await walk(path, {}, place === 'own' ? 1 : 2)).toEqual(whole.data)
        if (codes) {
          const { data } = await page(path, { includeCodes: 'true' })
          expect(data).toEqual(as(ordered(rows, order), true))
        } else await refuses(path, { includeCodes: 'true' })
        if (sync.length === 0) await refuses(path, { updatedAfter: '2026-01-01T00:00:00Z' })
        for (const [query, limit] of sync.length === 0
          ? []
          : ([
              [{ updatedAfter: '2026-01-01T00:00:00Z' }, 1],
              [{ updatedBefore: '2027-01-01T00:00:00Z' }, 2],
            ] as const))
          expect(await walk(path, query, limit)).toEqual(as(ordered(rows, sync)))
      }
    })

    test.each(filters)('$name finds the rows that it should, and none of the others', async (filter) => {
      for (const [path, made] of paths.slice(0, 2)) {
        const rows = await completed(operation, path, made)
        const others = Object.fromEntries(filters.map(({ name }) => [name, null]))
        const values = valuesOf(operation, filter, rows)
        for (const value of values)
          for (const spelling of spellings(filter, value, value === values[0])) {
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
      for (const fit of [1, limits.usual, limits.most])
        expect((await page(path, { limit: String(fit) })).pagination.limit).toBe(fit)
      for (const much of [limits.most + 1, 5000])
        expect((await page(path, { limit: String(much) })).pagination.limit).toBe(limits.most)
      for (const unfitLimit of ['0', '-1', '1.5', 'abc', ''])
        expect((await page(path, { limit: unfitLimit })).pagination.limit).toBe(limits.usual)
      for (const { name } of place === 'own' ? [] : filters) {
        // What is empty was not given; what is given twice is unclear.
        expect((await page(path, { limit: '1', [name]: '' })).filters).toEqual(echoed)
        const twice = await world.service.sendUnchecked(`${path}?${name}=a&${name}=a`, { key: world.key })
        expect([name, twice.status]).toEqual([name, 400])
      }
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
  })

  describe.each(details)('$path', (operation) => {
    const { type, codes } = operation
    const own = (row: Row) => pathOf(operation, row)
    const list = listOf(operation)

    test('serves each of its rows, bare, and no other', async () => {
      for (const row of await completed(list, list.path, rowsOf(operation))) {
        for (const withCodes of codes ? [false, true] : [false]) {
          const { status, body } = await ask(own(row), withCodes ? { includeCodes: 'true' } : {})
          expect([status, body]).toEqual([200, served(row, type, withCodes)])
        }
        const missing = await ask(`${own(row)}x`)
        expect([missing.status, Object.keys(missing.body)]).toEqual([404, ['error']])
        // Ids are told apart by their case.
        expect([own(row), (await ask(own(row).replace(/[^/]+$/, swapped))).status]).toEqual([own(row), 404])
      }
      const path = own((await completed(list, list.path, rowsOf(operation)))[0] ?? {})
      for (const name of ['limit', 'cursor', 'x', ...(codes ? [] : ['includeCodes'])])
        await refuses(path, { [name]: '1' })
    })

    test('answers for the row of another tenant as for one that is missing', async () => {
      const missing = await answered(pathOf(operation, rowsOf(operation)[1] ?? {}, { id: 'missing' }))
      const { data } = (await (
        await world.service.sendUnchecked(list.path, { key: stranger })
      ).json()) as unknown as Page
      expect(data.length).toBeGreaterThan(0)
      for (const row of data) {
        const path = pathOf(operation, row)
        expect((await answered(path, stranger)).status).toBe(200)
        expect(await answered(path)).toEqual(missing)
      }
    })
  })

  describe.each(operations.filter((one) => one.method === 'GET' && parentOf(one) !== undefined))(
    '$path',
    (operation) => {
      const parent = parentOf(operation) ?? fail()
      const absent = ['missing', `${parent.path.slice(parent.path.indexOf('{') + 1, -1)}-stranger`]

      test('answers for a parent that is missing, or another tenant has, as its detail', async () => {
        const missing = await answered(pathOf(parent, {}, { id: 'missing' }))
        expect(missing.status).toBe(404)
        for (const id of absent) {
          expect((await answered(pathOf(parent, {}, { id }))).text).toBe(missing.text)
          const rows = operation.does === 'one' ? rowsOf(operation) : [{}]
          for (const row of rows) {
            const path =
              operation.does === 'one'
                ? pathOf(operation, row, { parent: id })
                : pathOf(operation, {}, { id })
            expect([path, await answered(path)]).toEqual([
              path,
              operation.does === 'one'
                ? await answered(pathOf(operation, {}, { id: 'missing', parent: id }))
                : missing,
            ])
          }
        }
        expect((await answered(pathOf(parent, {}, { id: absent[1] }), stranger)).status).toBe(200)
      })

      if (operation.does === 'one')
        test('has a row under its own parent alone', async () => {
          const [, parameter = ''] = /\{(\w+)\}/.exec(operation.path) ?? []
          const rows = rowsOf(operation)
          const parents = [...new Set(rows.map((row) => row[parameter]))]
          expect(parents.length).toBeGreaterThan(1)
          for (const id of parents) {
            const missing = await answered(pathOf(operation, {}, { id: 'missing', parent: id }))
            expect(missing.status).toBe(404)
            for (const row of rows.filter((one) => one[parameter] !== id)) {
              const path = pathOf(operation, row, { parent: id })
              expect([path, await answered(path)]).toEqual([path, missing])
            }
          }
        })
    },
  )

  test('the former routes name their successors, in every answer, and no other route does', async () => {
    for (const { method, path } of operations) {
      if (method !== 'GET') continue
      const isFormer = path.includes('/legacyvendor/')
      const ids = ['a b/ü%', 'x', 'transactionId-00', 'accountId-00']
      for (const id of isFormer && path.includes('{') ? ids : ids.slice(0, 1))
        for (const [query, wrong] of [[''], ['?nonsense=1'], ['', 'PUT']] as const) {
          const asked = path.replaceAll(/\{\w+\}/g, encodeURIComponent(id))
          const given = { key: world.key, ...(wrong === undefined ? {} : { method: wrong }) }
          const { status, headers } = await world.service.sendUnchecked(asked + query, given)
          if (wrong !== undefined) expect([asked, status]).toEqual([asked, 405])
          const successor = `<${asked.replace('/legacyvendor/', '/')}>; rel="successor-version"`
          const expected = isFormer ? ['@1767225600', successor] : [null, null]
          expect([asked, query, headers.get('deprecation'), headers.get('link')]).toEqual([
            asked,
            query,
            ...expected,
          ])
        }
    }
  })

  test('a cursor is good for the list that gave it alone, and in its order', async () => {
    const all = lists.flatMap((operation) =>
      pathsOf(operation)
        .filter(([, rows]) => rows.length > 1)
        .slice(0, 2)
        .map(([path]) => ({ path, operation })),
    )
    const cursorOf = async (path: string, query = {}) =>
      (await page(path, { ...query, limit: '1' })).pagination.nextCursor ?? fail()
    for (const [index, { path, operation }] of all.entries()) {
      const cursor = await cursorOf(path)
      await page(path, { cursor })
      const alike = all.filter(
        ({ operation: { typeText } }, at) =>
          at === (index + 1) % all.length ||
          typeText.split(' ', 1)[0] === operation.typeText.split(' ', 1)[0],
      )
      for (const other of alike) if (other.path !== path) await refuses(other.path, { cursor })
      if (operation.sync.length === 0) continue
      const query = { updatedAfter: '2026-01-01T00:00:00Z' }
      await refuses(path, { ...query, cursor })
      await refuses(path, { cursor: await cursorOf(path, query) })
    }
  })

  test.each(operations)('$method $path answers with these headers and no others', async (operation) => {
    const { method, path, statuses } = operation
    const keys = { owner: world.key, child: await world.service.addKey({ organizationId: CHILD }) }
    const found = new Set<number>()
    const list = operation.does === 'one' ? listOf(operation) : null
    const [row = {}] = list === null ? [] : await completed(list, list.path, rowsOf(operation))
    const own = list === null ? path.replaceAll(/\{(\w+)\}/g, '$1-00') : pathOf(operation, row)
    for (const { by, path: asked, ...request } of requestsOf(operation, own)) {
      const key = by === 'nobody' ? {} : { key: keys[by] }
      const init = { method, ...request, ...key, redirect: 'manual' } as const
      const { status, headers, body } = await world.service.sendUnchecked(asked, init)
      found.add(status)
      const hasBody = body !== null || request.method === 'HEAD'
      const expected = Object.assign(
        {},
        ...[...kindsOf(operation, status, by), ...(hasBody ? ['of a body'] : [])].map(headersOf),
      ) as Readonly<Record<string, string>>
      const carried = [...headers].map(([name, value]) => [name, expected[name] === '...' ? '...' : value])
      expect([by, asked, request, status, Object.fromEntries(carried)]).toEqual([
        ...[by, asked, request, status],
        expected,
      ])
      if (status !== 405) continue
      const methods = operations.filter((one) => one.path === path).map((one) => one.method)
      expect(headers.get('allow')?.split(', ').sort()).toEqual(
        (methods.includes('GET') ? ['GET', 'HEAD'] : methods).toSorted(),
      )
    }
    // What fails inside or elsewhere, or takes much, is tried elsewhere.
    const rare = [409, 413, 429, 500, 502]
    expect(statuses.filter((status) => !rare.includes(status) && !found.has(status))).toEqual([])
  })

  test('nothing failed inside', () => {
    expect(world.service.errors).toEqual([])
  })
})

/** The name of every parameter that any operation takes. */
const everyParameter = new Set(
  operations
    .flatMap(({ filters, parameters }) => [...filters, ...parameters].map(({ name }) => name))
    .filter((name) => name !== 'limit'),
)

/** The list, not nested, of the rows of a detail. */
function listOf({ typeText }: Operation): Operation {
  return (
    lists.find((one) => one.typeText.split(' -')[0] === typeText && parentOf(one) === undefined) ?? fail()
  )
}

/** A text with capitals for small letters and the reverse. */
function swapped(text: string): string {
  return text.replaceAll(/[a-z]+|[A-Z]+/g, (part) =>
    /[a-z]/.test(part) ? part.toUpperCase() : part.toLowerCase(),
  )
}

function fail(): never {
  throw new Error('The table has no list for this detail, or the list has but one page')
}
