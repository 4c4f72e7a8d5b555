import { commerce } from './commerce.ts'
import { engagement } from './engagement.ts'
import { imports } from './imports.ts'
import { memberships } from './memberships.ts'
import { operators } from './operators.ts'
import { people } from './people.ts'
import { pointOfSale } from './point-of-sale.ts'
import { service } from './service.ts'
import { surveys } from './surveys.ts'
import type { Term, Terms } from './term.ts'
import { times } from './times.ts'

const terms: Terms = {
  ...service,
  ...people,
  ...times,
  ...commerce,
  ...engagement,
  ...surveys,
  ...memberships,
  ...pointOfSale,
  ...operators,
  ...imports,
}

/**
 * The meaning of a property: the entry with the longest matching path, else the entry of its name, else nothing.
 * @param path names from the schema to the property, such as `['Case', 'history', 'notes']`
 */
export function termOf(path: readonly string[]): Term | null {
  if (path.length === 0) return null
  return own(path.join('.')) ?? termOf(path.slice(1))
}

/** Looks up an own property only: property names come from records and may be `constructor`. */
function own(name: string): Term | null {
  return Object.hasOwn(terms, name) ? (terms[name] ?? null) : null
}
