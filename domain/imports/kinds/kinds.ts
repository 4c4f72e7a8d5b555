import type { Secrets } from '../../access/secrets.ts'
import { createPurchaseId } from '../../access/purchase-id.ts'
import { writtenPosResources } from '../../pos/index.ts'
import { automations } from '../../resources/automations/automations.ts'
import { forms } from '../../resources/forms/forms.ts'
import { purchases } from '../../resources/sales/purchases.ts'
import { writtenResources } from '../../resources/index.ts'
import { automationWarnings } from './automation-warnings.ts'
import { formKind, type FormPasswords } from './form-kind.ts'
import type { Resource } from '../../record/resource.ts'
import type { ImportKind } from './kind.ts'
import { plainKind } from './plain-kind.ts'
import { purchaseKind } from './purchase-kind.ts'
import type { Clock } from '../../../ports/platform.ts'

/** What kinds may need besides the line itself. */
export interface ImportTools {
  readonly passwords: FormPasswords
  readonly clock: Clock
  /** Called only when an id has to be made, or an incomplete line with a secret has to be kept. */
  readonly secrets: () => Promise<Secrets>
}

/** The names of all import kinds. A kind comes after those that its references need. */
export const importKindNames: readonly string[] = [...writtenResources, ...writtenPosResources].map(
  (resource) => resource.collection,
)

/** Whether rows of this kind are stored at the organization's point of sale, and not in this service. */
export function isKeptAtPos(name: string): boolean {
  return writtenPosResources.some((resource) => resource.collection === name)
}

/** The kind of an import that exists. Throws when there is no kind of that name. */
export function kindOf(name: string, tools: ImportTools): ImportKind {
  const kind = importKind(name, tools)
  if (kind === null) throw new Error(`There is no import kind ${name}`)
  return kind
}

/** The resource whose rows a kind brings; null: there is no kind of that name. */
export function resourceOfKind(name: string): Resource | null {
  const all: readonly Resource[] = [...writtenResources, ...writtenPosResources]
  return all.find(({ collection }) => collection === name) ?? null
}

/** The kind of that name, or null when there is none. */
export function importKind(name: string, tools: ImportTools): ImportKind | null {
  const resource = resourceOfKind(name)
  if (resource === null) return null
  if (resource === forms) return formKind(tools.passwords)
  if (resource === automations) return { ...plainKind(resource), warn: automationWarnings }
  if (resource !== purchases) return plainKind(resource)
  return purchaseKind(async (organizationId, processorId) =>
    createPurchaseId(organizationId, processorId, (await tools.secrets()).current),
  )
}
