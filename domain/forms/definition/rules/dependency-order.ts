import type { ConditionalField } from './visibility.ts'

/**
 * Fields in an order in which the subjects of a field's rules come before the field; or the fields that make such an
 * order impossible.
 */
export interface DependencyOrder<Field> {
  readonly resolved: readonly Field[]
  /** Fields on a cycle (or between two cycles), in the given order. Empty when everything could be ordered. */
  readonly cyclic: readonly Field[]
}

/**
 * Orders fields by their rules. Rules about fields that do not exist are ignored. Runs without recursion, in time
 * linear in fields and rules, so a chain may have any length.
 */
export function dependencyOrder<Field extends ConditionalField>(
  fields: readonly Field[],
): DependencyOrder<Field> {
  const ids = new Set(fields.map((field) => field.id))
  const subjects = new Map(fields.map((field) => [field.id, subjectsOf(field, ids)]))
  const dependents = reversed(subjects)
  const first = peel(subjects, dependents)
  if (first.size === fields.length) {
    const byId = new Map(fields.map((field) => [field.id, field]))
    return { resolved: [...first].flatMap((id) => byId.get(id) ?? []), cyclic: [] }
  }
  // Peeling from the other end too excludes the fields that merely depend on a cycle.
  const last = peel(dependents, subjects)
  return { resolved: [], cyclic: fields.filter(({ id }) => !first.has(id) && !last.has(id)) }
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>

function subjectsOf(field: ConditionalField, ids: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(field.visibleWhen?.rules.map((rule) => rule.field).filter((id) => ids.has(id)))
}

function reversed(edges: Edges): Edges {
  const reverse = new Map<string, Set<string>>([...edges.keys()].map((id) => [id, new Set()]))
  for (const [id, targets] of edges) {
    for (const target of targets) reverse.get(target)?.add(id)
  }
  return reverse
}

/** The ids that can be removed one after another, each after all ids that it points to were removed. */
function peel(edges: Edges, reverse: Edges): ReadonlySet<string> {
  const open = new Map([...edges].map(([id, targets]) => [id, targets.size]))
  // Iterating over a set includes members that are added meanwhile, so one set serves as queue and as result.
  const peeled = new Set([...open].filter(([, count]) => count === 0).map(([id]) => id))
  for (const id of peeled) {
    for (const dependent of reverse.get(id) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1
      open.set(dependent, left)
      if (left === 0) peeled.add(dependent)
    }
  }
  return peeled
}
