import type { Resource } from '../../../../domain/record/resource.ts'
import { removals } from '../../../../domain/resources/removals.ts'
import { columnOf, tableOf } from '../../table/tables.ts'
import { OWNER } from '../resource-tables.ts'
import type { TriggerShape } from '../shape.ts'

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
