import type { FormPath } from '../../../../../../domain/forms/definition/problem.ts'
import { isJsonObject, listOf, membersOf } from '../../../../../../domain/text/json.ts'

/** A form as JSON, as it was read: whatever the editor does not know of stays in it. */
export type FormJson = Readonly<Record<string, unknown>>

/** What is at a path; undefined: nothing. */
export function partAt(whole: unknown, path: FormPath): unknown {
  return path.reduce<unknown>(
    (part, key) => (typeof key === 'number' ? listOf(part)[key] : own(membersOf(part), key)),
    whole,
  )
}

function own(members: FormJson, key: string): unknown {
  return Object.hasOwn(members, key) ? members[key] : undefined
}

/** The form with another value at a path. Undefined removes what is there. */
export function withPart(form: FormJson, path: FormPath, value: unknown): FormJson {
  return membersOf(changed(form, path, value))
}

function changed(whole: unknown, [key, ...rest]: FormPath, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const items = [...listOf(whole)]
    const item = changed(items[key], rest, value)
    items.splice(key, 1, ...(item === undefined ? [] : [item]))
    return items
  }
  const members = membersOf(whole)
  const member = changed(own(members, key), rest, value)
  // A setting that is there keeps its place among the others.
  if (member !== undefined) return { ...members, [key]: member }
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key))
}

/** A list in which an item has another place. */
export function withMoved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const moved = items.slice(from, from + 1)
  return items.toSpliced(from, 1).toSpliced(to, 0, ...moved)
}

/** A text that two values share exactly when they say the same, whatever the order of their settings. */
export function sameText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  )
}
