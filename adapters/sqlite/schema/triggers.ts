import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import type { Tally, Condition } from '../../../domain/record/resource-field.ts'
import { resourceOf, resources } from '../../../domain/resources/index.ts'
import { columnOf, tableOf, type Table } from '../tables.ts'
import { OWNER, type TriggerShape } from './actual.ts'
import { removals } from '../../../domain/resources/removals.ts'

/** The tallies that a resource has of the rows of another resource, which refer to it by one field. */
export interface TallySet {
  readonly parent: Resource
  readonly child: Resource
  readonly by: string
  /** The fields that store the tallies. */
  readonly fields: readonly (readonly [string, Tally])[]
}

/** The tallies of all records, grouped by the rows that change them. */
export function tallies(): readonly TallySet[] {
  return resources.flatMap((parent) => {
    const all = storedFields(parent).flatMap(([name, entry]) =>
      entry.origin === 'assigned' && entry.tally !== null ? [[name, entry.tally] as const] : [],
    )
    const groups = Map.groupBy(all, ([, { collection, by }]) => `${collection} ${by}`)
    return [...groups.values()].flatMap((fields) => {
      const [first] = fields
      return first === undefined
        ? []
        : [{ parent, child: resourceOf(first[1].collection), by: first[1].by, fields }]
    })
  })
}

/** The tables of a set of tallies, and the column of the counted rows that holds the id of the row that counts them. */
interface Sides {
  readonly parent: Table
  readonly child: Table
  readonly by: string
}

/**
 * The triggers that maintain the tallies of one resource over the rows of another. Sums and counts are maintained
 * without reading the other rows: a new row's contribution is added, and when a row changes, its old contribution is
 * subtracted. The latest value, and the tallies of the first days, are looked up when a row changes. When a row is
 * inserted after rows that already refer to it, all its tallies are looked up.
 *
 * One insertion may fire several of these triggers, in an order that SQLite leaves open: a new voucher is counted by
 * its group, and also finds its own redemptions, which changes the voucher. Adding and subtracting have the same result
 * in either order. Recounting the changed row and then adding it as a new one would count it twice.
 */
export function tallyTriggers(set: TallySet): readonly TriggerShape[] {
  const parent = tableOf(set.parent.collection)
  const child = tableOf(set.child.collection)
  const sides: Sides = { parent, child, by: columnOf(child, set.by).name }
  return [
    inserted(set, sides),
    ...updated(set, sides),
    deleted(set, sides),
    preceded(set, sides),
    ...redated(set, sides),
  ]
}

function trigger(name: string, when: string, body: string): TriggerShape {
  return { name, sql: `CREATE TRIGGER ${name} AFTER ${when}\nBEGIN\n  ${body};\nEND` }
}

function inserted({ fields }: TallySet, { parent, child, by }: Sides): TriggerShape {
  const kept = fields.map(
    ([field, tally]) => `${columnOf(parent, field).name} = ${added(field, tally, parent, child)}`,
  )
  const conditions = fields.map(([, { where }]) => where)
  const some = conditions.flatMap((where) => (where === null ? [] : [holds(where, child, 'NEW')]))
  const counts = some.length === conditions.length ? ` WHEN ${[...new Set(some)].join(' OR ')}` : ''
  return trigger(
    `${parent.name}_counts_${child.name}`,
    `INSERT ON ${child.name}${counts}`,
    `UPDATE ${parent.name} SET ${[...kept, 'updated_at = NEW.updated_at'].join(',\n    ')}
  WHERE ${OWNER} = NEW.${OWNER} AND ${parent.idColumn} = NEW.${by}`,
  )
}

function updated(set: TallySet, { parent, child, by }: Sides): readonly TriggerShape[] {
  const tallied = [by, ...set.fields.flatMap(([, tally]) => columnsOf(tally, child))]
  const columns = isToldByParent(set.child) ? contentOf(child) : [...new Set(tallied)]
  // An update that changes the key makes it another row, so columns of the key need no trigger for changes.
  if (columns.every((column) => child.keyColumns.includes(column))) return []
  const row = (of: string) => columns.map((column) => `${of}.${column}`).join(', ')
  const kept = set.fields.map((one) => moved(one, { parent, child, by }))
  const is = kept.map(([column]) => column).join(', ')
  const should = kept.map(([, value]) => value).join(', ')
  // Otherwise a row is changed only when a tally changes, because its time of change tells clients that its content did.
  const onlyIf = isToldByParent(set.child) ? '' : `\n    AND (${is}) IS NOT (${should})`
  return [
    trigger(
      `${parent.name}_recounts_${child.name}`,
      `UPDATE ON ${child.name}\nWHEN (${row('OLD')}) IS NOT (${row('NEW')})`,
      `UPDATE ${parent.name} SET ${[...kept.map(assigned), 'updated_at = NEW.updated_at'].join(',\n    ')}
  WHERE ${OWNER} = NEW.${OWNER} AND ${parent.idColumn} IN (OLD.${by}, NEW.${by})${onlyIf}`,
    ),
  ]
}

/**
 * Whether clients learn of a change of these rows by that of the row that counts them: they are published without an
 * `updatedAt` of their own, so every change of them counts (decision 14).
 */
function isToldByParent({ removal, hidden }: Resource): boolean {
  return removal !== null && 'updatedAt' in hidden
}

/** The columns of a row besides its key and its time of change. */
function contentOf({ columns, keyColumns }: Table): readonly string[] {
  const names = [...columns.values()].map(({ name }) => name)
  return names.filter((name) => !keyColumns.includes(name) && name !== 'updated_at')
}

/** A trigger for a row that is deleted: the organization's clock was moved in the same batch. */
function deleted({ fields }: TallySet, { parent, child, by }: Sides): TriggerShape {
  const kept = fields.map(([field, tally]): Kept => {
    const { where, of } = tally
    if (of.kind !== 'count' && of.kind !== 'sum') return afresh([field, tally], { parent, child, by })
    const column = columnOf(parent, field).name
    const value = of.kind === 'count' ? '1' : `coalesce(OLD.${columnOf(child, of.field).name}, 0)`
    return [
      column,
      `${column} - ${where === null ? value : `iif(${holds(where, child, 'OLD')}, ${value}, 0)`}`,
    ]
  })
  // An organization that is gone has no clock.
  const now = `coalesce((SELECT clock_at FROM organizations AS o WHERE o.${OWNER} = OLD.${OWNER}), updated_at)`
  return trigger(
    `${parent.name}_uncounts_${child.name}`,
    `DELETE ON ${child.name}`,
    `UPDATE ${parent.name} SET ${[...kept.map(assigned), `updated_at = ${now}`].join(',\n    ')}
  WHERE ${OWNER} = OLD.${OWNER} AND ${parent.idColumn} = OLD.${by}
    AND (${kept.map(([column]) => column).join(', ')}) IS NOT (${kept.map(([, value]) => value).join(', ')})`,
  )
}

/** A trigger for a row that is inserted after rows that refer to it. */
function preceded(set: TallySet, { parent, child, by }: Sides): TriggerShape {
  return trigger(
    `${parent.name}_finds_${child.name}`,
    `INSERT ON ${parent.name}
WHEN EXISTS (SELECT 1 FROM ${child.name} AS c WHERE c.${OWNER} = NEW.${OWNER} AND c.${by} = NEW.${parent.idColumn})`,
    ofNew(
      parent,
      set.fields.map((one) => assigned(afresh(one, { parent, child, by }))),
    ),
  )
}

/** Triggers for a change of the day from which the first days are counted. */
function redated({ fields }: TallySet, sides: Sides): readonly TriggerShape[] {
  const { parent, child } = sides
  return fields.flatMap(([field, tally]) => {
    if (tally.of.kind !== 'first_days') return []
    const from = columnOf(parent, tally.of.from).name
    return [
      trigger(
        `${parent.name}_dates_${child.name}`,
        `UPDATE OF ${from} ON ${parent.name} WHEN OLD.${from} IS NOT NEW.${from}`,
        ofNew(parent, [assigned(afresh([field, tally], sides))]),
      ),
    ]
  })
}

function ofNew(parent: Table, kept: readonly string[]): string {
  return `UPDATE ${parent.name} SET ${kept.join(',\n    ')}
  WHERE ${OWNER} = NEW.${OWNER} AND ${parent.idColumn} = NEW.${parent.idColumn}`
}

/** The SQL for a tally after a new row is added. */
function added(field: string, { where, of }: Tally, parent: Table, child: Table): string {
  const kept = columnOf(parent, field).name
  const isOne = where === null ? null : holds(where, child, 'NEW')
  switch (of.kind) {
    case 'count':
      return `${kept} + ${isOne === null ? '1' : `(${isOne})`}`
    case 'sum': {
      const value = `coalesce(NEW.${columnOf(child, of.field).name}, 0)`
      return `${kept} + ${isOne === null ? value : `iif(${isOne}, ${value}, 0)`}`
    }
    case 'latest': {
      const value = `NEW.${columnOf(child, of.field).name}`
      const known = `${value} IS NOT NULL`
      return `iif(${isOne === null ? known : `${isOne} AND ${known}`}, max(coalesce(${kept}, ''), ${value}), ${kept})`
    }
    case 'first_days': {
      const within = `${isOne === null ? '' : `${isOne} AND `}${isWithin(of, parent, child, 'NEW')}`
      return `iif(${within}, json_insert(${kept}, '$[#]', ${objectOf(of, child, 'NEW')}), ${kept})`
    }
  }
}

/** A column of the counting row, and the SQL for its value. */
type Kept = readonly [column: string, value: string]

function assigned([column, value]: Kept): string {
  return `${column} = ${value}`
}

/** A tally after a row changes. The change may move the row from one parent to another. */
function moved([field, tally]: readonly [string, Tally], sides: Sides): Kept {
  const { parent, child, by } = sides
  const { where, of } = tally
  if (of.kind !== 'count' && of.kind !== 'sum') return afresh([field, tally], sides)
  const kept = columnOf(parent, field).name
  const share = (row: 'NEW' | 'OLD') => {
    const isOne = where === null ? '' : ` AND ${holds(where, child, row)}`
    const counts = `(${parent.idColumn} IS ${row}.${by}${isOne})`
    return of.kind === 'count' ? counts : `${counts} * coalesce(${row}.${columnOf(child, of.field).name}, 0)`
  }
  return [kept, `${kept} + ${share('NEW')} - ${share('OLD')}`]
}

/** A tally computed from all rows. */
function afresh([field, { where, of }]: readonly [string, Tally], { parent, child, by }: Sides): Kept {
  const conditions = [
    `c.${OWNER} = ${parent.name}.${OWNER}`,
    `c.${by} = ${parent.name}.${parent.idColumn}`,
    ...(where === null ? [] : [holds(where, child, 'c')]),
    ...(of.kind === 'first_days' ? [isWithin(of, parent, child, 'c')] : []),
  ]
  const rows = `FROM ${child.name} AS c\n      WHERE ${conditions.join(' AND ')}`
  return [columnOf(parent, field).name, `(SELECT ${aggregate(of, child)} ${rows})`]
}

function aggregate(of: Tally['of'], child: Table): string {
  switch (of.kind) {
    case 'count':
      return 'count(*)'
    case 'sum':
      return `coalesce(sum(c.${columnOf(child, of.field).name}), 0)`
    case 'latest':
      return `max(c.${columnOf(child, of.field).name})`
    case 'first_days':
      return `json_group_array(${objectOf(of, child, 'c')})`
  }
}

type FirstDays = Extract<Tally['of'], { readonly kind: 'first_days' }>

/**
 * A text behind that of every day. SQLite has no day after the year 9999, so days that begin near its end last until
 * then.
 */
const AFTER_ALL_DAYS = "'9999-12-32'"

/** The SQL for whether a row lies within the first days; false when the counting row has no first day. */
function isWithin({ at, from, days }: FirstDays, parent: Table, child: Table, row: string): string {
  const instant = `${row}.${columnOf(child, at).name}`
  const day = `${parent.name}.${columnOf(parent, from).name}`
  const start = (of: string) => `${of} || 'T00:00:00.000Z'`
  const end = `coalesce(date(${day}, '+${days} days'), ${AFTER_ALL_DAYS})`
  return `${instant} >= ${start(day)} AND ${instant} < ${start(end)}`
}

function objectOf({ fields }: FirstDays, child: Table, row: string): string {
  return `json_object(${fields.map((field) => `'${field}', ${row}.${columnOf(child, field).name}`).join(', ')})`
}

/** The SQL for a condition as 1 or 0; 0 for a row without a value. */
function holds(condition: Condition, child: Table, row: string): string {
  const { name, nullable } = columnOf(child, condition.field)
  const column = `${row}.${name}`
  const known = nullable ? `${column} IS NOT NULL AND ` : ''
  if ('atLeast' in condition) return `${known}${column} >= ${condition.atLeast}`
  const words = condition.words.map((word) => `'${word.replaceAll("'", "''")}'`).join(', ')
  return `${known}${column} IN (${words})`
}

/** The columns of a counted row on which a tally depends. */
function columnsOf({ where, of }: Tally, child: Table): readonly string[] {
  const fields = of.kind === 'count' ? [] : of.kind === 'first_days' ? [of.at, ...of.fields] : [of.field]
  return [...(where === null ? [] : [where.field]), ...fields].map((field) => columnOf(child, field).name)
}

/**
 * The triggers that note what can no longer be read: rows that are deleted, and those that are no longer shown. A row
 * that is removed again is noted anew. Deleting without triggers, as moves do, notes nothing.
 */
export function removalTriggers({ collection, removal }: Resource): readonly TriggerShape[] {
  if (removal === null) return []
  const table = tableOf(collection)
  const column = (field: string) => columnOf(table, field).name
  const parent = removal.parent === null ? 'NULL' : `OLD.${column(removal.parent)}`
  const id = `OLD.${column(removal.id)}`
  const columns = [
    OWNER,
    ...tableOf(removals.collection)
      .columns.values()
      .map(({ name }) => name),
  ]
  const values: Readonly<Record<string, string>> = {
    [OWNER]: `OLD.${OWNER}`,
    collection: `'${removal.collection}'`,
    id,
    parent_id: parent,
    updated_at: 'o.clock_at',
    removal_id: `json_array('${removal.collection}', ${parent}, ${id})`,
  }
  const note = `INSERT INTO removals (${columns.join(', ')})
  SELECT ${columns.map((name) => values[name] ?? '').join(', ')}
  FROM organizations AS o WHERE o.${OWNER} = OLD.${OWNER}
  ON CONFLICT (${OWNER}, removal_id) DO UPDATE SET updated_at = excluded.updated_at`
  const trigger = (name: string, when: string): TriggerShape => ({
    name: `${table.name}_${name}`,
    sql: `CREATE TRIGGER ${table.name}_${name} AFTER ${when}\nBEGIN\n  ${note};\nEND`,
  })
  if (removal.shownIf === null) return [trigger('removed', `DELETE ON ${table.name}`)]
  const shown = column(removal.shownIf)
  return [
    trigger('removed', `DELETE ON ${table.name} WHEN OLD.${shown}`),
    trigger('hidden', `UPDATE OF ${shown} ON ${table.name} WHEN OLD.${shown} AND NOT NEW.${shown}`),
  ]
}
