import { forms } from '../resources/forms.ts'
import { resources } from '../resources/index.ts'
import type { FormPasswords } from './form-kind.ts'
import { formKind } from './form-kind.ts'
import type { ImportKind } from './kind.ts'
import { plainKind } from './plain-kind.ts'
import type { Clock } from '../../ports/clock.ts'

/** What a kind may need besides the line itself. */
export interface ImportTools {
  readonly passwords: FormPasswords
  readonly clock: Clock
}

/** Names of everything that can be imported, in an order in which references are satisfied. */
export const importKindNames: readonly string[] = resources.map((resource) => resource.collection)

/** The kind of that name, or null when there is none. */
export function importKind(name: string, tools: ImportTools): ImportKind | null {
  const resource = resources.find((candidate) => candidate.collection === name)
  if (resource === undefined) return null
  return resource === forms ? formKind(tools.passwords, tools.clock) : plainKind(resource)
}
