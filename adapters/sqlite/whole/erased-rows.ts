import { sql, type Expression } from 'kysely'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import { slot, template, type Template } from '../statement/compiler.ts'
import { ofOwner, textsOf } from '../statement/words.ts'
import { templateCache } from '../../sql/statement.ts'
import { columnOf, tableOf, type Table } from '../table/tables.ts'
import { writtenAt } from '../write/write-clock.ts'

const among = (name: string) => textsOf(slot(name))

/** The statements that erase people from the rows of one collection. */
export interface ErasedRows {
  /**
   * Looks at the next rows: the id of the last of them (null: there are no more), and those that are of the person and
   * hold anything of them. Where rows belong to a person by their contact only, all of theirs are found at once.
   */
  readonly find: Template<{ readonly last: string | null; readonly ids: string }>
  readonly erase: Template
}

const made = templateCache<ErasedRows>()

/** The statements for a collection, as its record declares what is personal. */
export function erasedRows(resource: Resource, readMax: number): ErasedRows {
  return made(resource.collection, () => statementsOf(resource, readMax))
}

function statementsOf(resource: Resource, readMax: number): ErasedRows {
  const table = tableOf(resource.collection)
  const id = sql.id(table.idColumn)
  const fields = storedFields(resource).flatMap(([name, { field }]) => {
    if (field.personal === null || field.personal === 'no') return []
    const { erased } = field.personal
    const stored = erased === null || field.storage !== 'json' ? erased : JSON.stringify(erased)
    return [{ column: columnOf(table, name).name, erased: sql.lit(stored) }]
  })
  const holdsAny = sql`(${sql.join(fields.map(({ column }) => sql.id(column)))})
    is not (${sql.join(fields.map(({ erased }) => erased))})`
  const isFoundByContact =
    resource.person !== null && !('stays' in resource.person) && resource.person.carriedIn.length === 0
  return {
    find: isFoundByContact
      ? template(sql<{ readonly last: string | null; readonly ids: string }>`
      select null as last, json_group_array(${id}) as ids from ${sql.id(table.name)}
      where ${ofOwner} and ${isOfPerson(resource, table)} and ${holdsAny}`)
      : template(sql<{ readonly last: string | null; readonly ids: string }>`
      with looked as materialized (select * from ${sql.id(table.name)}
        where ${ofOwner} and ${id} > ${slot('after')} order by ${id} limit ${sql.lit(readMax)})
      select (select max(${id}) from looked) as last,
        (select json_group_array(${id}) from looked where ${isOfPerson(resource, table)} and ${holdsAny}) as ids`),
    erase: template(sql`
      update ${sql.id(table.name)} set
        ${sql.join(fields.map(({ column, erased }) => sql`${sql.id(column)} = ${erased}`))}, updated_at = coalesce(${writtenAt}, ${slot('closedAt')})
      where ${ofOwner} and ${id} in ${among('ids')} and ${holdsAny}`),
  }
}

/** A text without what people write between the digits of a phone number, and without zeros at the beginning. */
function digitsOf(text: Expression<unknown>): Expression<unknown> {
  const bare = [' ', '+', '-', '(', ')', '.', '/'].reduce<Expression<unknown>>(
    (rest, sign) => sql`replace(${rest}, ${sql.lit(sign)}, '')`,
    text,
  )
  return sql`ltrim(${bare}, '0')`
}

/** Whether a row has the person's contact, or no contact and one of the addresses. */
function isOfPerson({ person }: Resource, table: Table): Expression<unknown> {
  if (person === null || 'stays' in person) return sql`false`
  const by = person.by === null ? null : sql.id(columnOf(table, person.by).name)
  const carried = person.carriedIn.map((field) => {
    const { name, storage } = columnOf(table, field)
    const column = sql.id(name)
    if (storage !== 'json') return sql`lower(${column}) in ${among('addresses')}`
    const isContact = by === null ? sql`or j.atom in ${among('contactIds')}` : sql``
    return sql`exists (select 1 from json_tree(${column}) as j where j.type in ('text', 'integer') and (
      lower(j.atom) in ${among('addresses')} or ${digitsOf(sql`j.atom`)} in ${among('numbers')} ${isContact}))`
  })
  const carries = carried.length === 0 ? sql`false` : sql`(${sql.join(carried, sql` or `)})`
  if (carried.length === 0 && by !== null) return sql`${by} in ${among('contactIds')}`
  return by === null ? carries : sql`(${by} in ${among('contactIds')} or (${by} is null and ${carries}))`
}
