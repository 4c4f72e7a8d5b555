import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The least and the greatest number of a type; undefined: it has none. */
export type Range = readonly [least?: number | undefined, most?: number | undefined]

/** A type of the table. */
export type Type =
  | { readonly kind: 'word'; readonly word: string; readonly range: Range; readonly nullable: boolean }
  | { readonly kind: 'one of'; readonly words: readonly string[]; readonly nullable: boolean }
  | { readonly kind: 'list'; readonly of: Type; readonly nullable: boolean }
  | { readonly kind: 'map'; readonly of: Type; readonly nullable: boolean }
  | { readonly kind: 'shape'; readonly keys: readonly Key[]; readonly nullable: boolean }
  | { readonly kind: 'either'; readonly types: readonly Type[]; readonly nullable: false }

/** A key of an object. `may`: it can be absent; `codes`: it is there with includeCodes=true and never else. */
export interface Key {
  readonly name: string
  readonly there: 'always' | 'may' | 'codes'
  readonly type: Type
}

/** A filter: the rows whose `field` (a path) compares so with the value. */
export interface Filter {
  readonly name: string
  readonly comparison: '=' | 'in' | '<=' | '>=' | '<' | '~'
  readonly field: string
}

export interface Parameter {
  readonly name: string
  readonly type: Type
  /** What counts when it is not given; undefined: nothing does. */
  readonly otherwise: string | undefined
}

interface Order {
  readonly field: string
  readonly direction: 'asc' | 'desc'
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly statuses: readonly number[]
  readonly does: 'list' | 'one' | 'answers' | 'saves' | 'nothing'
  /** The item of a list, or the body of the answer. */
  readonly type: Type | null
  /** How the table writes that type. */
  readonly typeText: string
  /** The body with 207. */
  readonly otherType: Type | null
  readonly takes: Type | null
  readonly limits: { readonly usual: number; readonly most: number }
  readonly codes: boolean
  readonly deprecated: boolean
  readonly filters: readonly Filter[]
  readonly parameters: readonly Parameter[]
  readonly order: readonly Order[]
  /** The order with updatedAfter or updatedBefore; empty: it takes neither. */
  readonly sync: readonly Order[]
}

/** The plain types, with the ranges that they have of themselves. */
const WORDS: Readonly<Record<string, Range>> = {
  ...{ str: [], ts: [], date: [], int: [], num: [], bool: [], cents: [], object: [], true: [], false: [] },
  ...{ count: [0], pct: [0], stars: [1, 5] },
}

/** What a plain type is but for its range. */
const PLAIN: Readonly<Record<string, string>> = { cents: 'int', count: 'int', pct: 'num' }

/** The line of an operation. */
const HEAD =
  /^([A-Z]+) (\S+) {2}(?:takes (\w+) )?(list|one|answers|saves|nothing)(?: (.*?))??(?: or (\w+))?(?: (\d+)\/(\d+))?((?: (?:codes|deprecated))*) {2}([\d ]+)$/

/** The blocks of the table: a line at the margin, with the indented lines that follow it. */
const blocks = readFileSync(join(import.meta.dirname, 'contract.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .reduce<string[][]>((done, line) => {
    if (line.startsWith(' ')) done.at(-1)?.push(line.trim())
    else done.push([line])
    return done
  }, [])

const shapes = new Map(
  blocks.flatMap(([head = '', ...lines]) =>
    head.startsWith('type ') ? [[head.slice(5), `{${lines.join(' ')}}`] as const] : [],
  ),
)

/** A named type of the table. */
export function shapeOf(name: string): Type {
  const text = shapes.get(name)
  if (text === undefined) throw new Error(`The table has no type ${name}`)
  return typeOf(text)
}

/** Reads a type, such as `[{siteId str?, status active|inactive}]`. */
function typeOf(text: string): Type {
  const tokens = text.match(/\(.*?\)|\w+|[^\s\w]/g) ?? []
  let at = 0
  const has = (token: string): boolean => tokens[at] === token && ++at > 0
  const next = (): string => tokens[at++] ?? fail()
  const fail = (): never => {
    throw new Error(`The table has a type that cannot be read, at token ${at}: ${text}`)
  }
  const read = (): Type => {
    const first = one()
    if (!has('/')) return first
    return { kind: 'either', types: [first, one()], nullable: false }
  }
  const one = (): Type => {
    let type = base()
    for (;;) {
      if (has('+')) type = shapeWith(type, keysOf(base()))
      else if (has('-')) type = shapeWithout(type, names())
      else break
    }
    return has('?') && type.kind !== 'either' ? { ...type, nullable: true } : type
  }
  const base = (): Type => {
    if (has('[')) {
      const of = read()
      return has(']') ? { kind: 'list', of, nullable: false } : fail()
    }
    if (has('{')) return { kind: 'shape', keys: keys(), nullable: false }
    const word = next()
    if (word === 'map') return { kind: 'map', of: read(), nullable: false }
    if (word in WORDS) return { kind: 'word', word, range: range() ?? WORDS[word] ?? [], nullable: false }
    if (/^[A-Z]/.test(word)) return shapeOf(word)
    const words = [word]
    while (has('|')) words.push(next())
    return { kind: 'one of', words, nullable: false }
  }
  const range = (): Range | undefined => {
    const [, least, most] = /^\((-?\d+)\.\.(-?\d+)?\)$/.exec(tokens[at] ?? '') ?? []
    if (least === undefined) return undefined
    at += 1
    return most === undefined ? [Number(least)] : [Number(least), Number(most)]
  }
  const keys = (): Key[] => {
    const done: Key[] = []
    do {
      const name = next()
      const there = has('?') ? 'may' : has('*') ? 'codes' : 'always'
      done.push({ name, there, type: read() })
    } while (has(','))
    return has('}') ? done : fail()
  }
  const names = (): string[] => {
    const done = [has('{') ? next() : fail()]
    while (has(',')) done.push(next())
    return has('}') ? done : fail()
  }
  const type = read()
  return at === tokens.length ? type : fail()
}

/** The keys of an object type. */
export function keysOf(type: Type | null): readonly Key[] {
  if (type?.kind !== 'shape') throw new Error('This type of the table is no object')
  return type.keys
}

function shapeWith(type: Type, more: readonly Key[]): Type {
  return { kind: 'shape', keys: [...keysOf(type), ...more], nullable: false }
}

function shapeWithout(type: Type, names: readonly string[]): Type {
  return { kind: 'shape', keys: keysOf(type).filter(({ name }) => !names.includes(name)), nullable: false }
}

/** Every operation of the public interface, as the table has it. */
export const operations: readonly Operation[] = blocks.flatMap(([head = '', ...lines]) =>
  /^(?:type|headers) /.test(head) ? [] : [operationOf(head, lines)],
)

/** The headers that answers of a kind carry. `...` stands for any text. */
export function headersOf(kind: string): Readonly<Record<string, string>> {
  const block = blocks.find(([head]) => head === `headers ${kind}`)
  if (block === undefined) throw new Error(`The table has no headers ${kind}`)
  const headers = block.slice(1).map((line) => /^(\S+): (.*)$/.exec(line) ?? [])
  return Object.fromEntries(headers.map(([, name = '', value = '']) => [name, value] as const))
}

function operationOf(head: string, lines: readonly string[]): Operation {
  const parts = HEAD.exec(head)
  if (parts === null) throw new Error(`The table has a line that cannot be read: ${head}`)
  const [, method = '', path = '', takes, does, type, otherType, usual, most, flags = '', statuses = ''] =
    parts
  const rest = new Map(lines.map((line) => [line.split(' ', 1)[0] ?? '', listed(line.replace(/^\w+ /, ''))]))
  const windows = rest.get('windows') ?? []
  const order = (rest.get('order') ?? []).map(orderOf)
  return {
    method,
    path,
    does: does as Operation['does'],
    type: type === undefined ? null : typeOf(type),
    typeText: type ?? '',
    otherType: otherType === undefined ? null : typeOf(otherType),
    takes: takes === undefined ? null : typeOf(takes),
    limits: { usual: Number(usual), most: Number(most) },
    codes: flags.includes('codes'),
    deprecated: flags.includes('deprecated'),
    statuses: statuses.split(' ').map(Number),
    filters: [...(rest.get('filters') ?? []).map(filterOf), ...windows.flatMap(windowOf)],
    parameters: (rest.get('parameters') ?? []).map(parameterOf),
    order,
    sync: windows.includes('updatedAt') ? syncOf(order) : [],
  }
}

function listed(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}

function filterOf(text: string): Filter {
  const [name = '', comparison = '=', field = name] = text.split(' ')
  return { name, comparison: comparison as Filter['comparison'], field }
}

/** The two filters of a time: `createdAt` has `createdAfter` and `createdBefore`. */
function windowOf(field: string): readonly Filter[] {
  const name = field.replace(/At$/, '')
  return [
    { name: `${name}After`, comparison: '<=', field },
    { name: `${name}Before`, comparison: '<', field },
  ]
}

function parameterOf(text: string): Parameter {
  const [, name = '', type = '', otherwise] = /^(\w+) (\S+)(?: = (.+))?$/.exec(text) ?? []
  return { name, type: typeOf(type), otherwise }
}

/** The order of a read by `updatedAt`: oldest first, ties by the ids that the order ends with. */
function syncOf(order: readonly Order[]): readonly Order[] {
  return ['updatedAt', ...order.slice(1).map(({ field }) => field)].map((field) => ({
    field,
    direction: 'asc',
  }))
}

function orderOf(text: string): Order {
  const [field = '', direction = 'asc'] = text.split(' ')
  return { field, direction: direction as Order['direction'] }
}

/** The same type without null. */
export function notNull(type: Type): Type {
  return { ...type, nullable: false }
}

/** The type at a path of a row, such as `site.siteId`. */
export function typeAt(type: Type | null, path: string): Type {
  const [name = '', ...rest] = path.split('.')
  const key = keysOf(type).find((one) => one.name === name)
  if (key === undefined) throw new Error(`The table has no field ${path}`)
  return rest.length === 0 ? key.type : typeAt(key.type, rest.join('.'))
}

/** The paths of the plain and enumerated fields of a type, with their types; `0` stands for an element of a list. */
export function leavesOf(
  type: Type | null,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly type: Type }[] {
  if (type?.kind === 'list') return leavesOf(type.of, [...path, '0'])
  if (type?.kind === 'shape') return type.keys.flatMap(({ name, type: of }) => leavesOf(of, [...path, name]))
  return type === null ? [] : [{ path, type }]
}

/** A value with the keys that the table has for it, and no others. */
export function served(value: unknown, type: Type | null, withCodes = false): unknown {
  if (value === null || type === null) return value
  if (type.kind === 'list') return (value as unknown[]).map((one) => served(one, type.of, withCodes))
  if (type.kind !== 'shape') return value
  return Object.fromEntries(
    type.keys
      .filter(({ name, there }) =>
        there === 'codes'
          ? withCodes
          : there === 'always' || name in (value as Readonly<Record<string, unknown>>),
      )
      .map(({ name, type: of }) => [
        name,
        served((value as Readonly<Record<string, unknown>>)[name], of, withCodes),
      ]),
  )
}

/** A type as a text that is the same for the same type but for ranges; the order of keys and words is no matter. */
export function textOf(type: Type): string {
  const end = type.nullable ? '?' : ''
  switch (type.kind) {
    case 'word':
      return (PLAIN[type.word] ?? type.word) + end
    case 'one of':
      return type.words.toSorted().join('|') + end
    case 'list':
      return `[${textOf(type.of)}]${end}`
    case 'map':
      return `map ${textOf(type.of)}${end}`
    case 'either':
      return type.types.map(textOf).toSorted().join('/')
    case 'shape':
      return (
        shapeText(
          type.keys.map(({ name, there, type: of }) => [name, there === 'always', textOf(of)] as const),
        ) + end
      )
  }
}

/** An object type as a text: its keys by name, each with whether it is always there and the text of its type. */
export function shapeText(keys: readonly (readonly [string, boolean, string])[]): string {
  const lines = keys.map(([name, always, text]) => `${name}${always ? '' : '?'} ${text}`)
  return `{${lines.toSorted().join(', ')}}`
}
