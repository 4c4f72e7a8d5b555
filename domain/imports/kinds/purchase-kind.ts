import { purchases, splitCodes } from '../../resources/sales/purchases.ts'
import type { ImportKind } from './kind.ts'
import { plainKind } from './plain-kind.ts'

/** Makes the public id of a purchase that is stored for the first time. */
export type MakePurchaseId = (organizationId: string, processorId: string) => Promise<string>

const KEY = 'processorId'

/**
 * The import of purchases. A line carries the payment processor's id in place of the public one, which is made when the
 * purchase is first stored and kept from then on, even after the secret was rotated.
 */
export function purchaseKind(makeId: MakePurchaseId): ImportKind {
  const plain = plainKind(purchases)
  return {
    ...plain,
    keyField: KEY,
    key: [KEY],
    secretField: KEY,
    problemOf: (name) =>
      name === purchases.idField ? `is made by the service; give ${KEY} instead` : plain.problemOf(name),
    read: (record, context) => {
      const reading = plain.read(record, context)
      if ('issues' in reading) return reading
      const { items } = reading.row
      const parts = items === null ? { fulfillmentCodes: null } : splitCodes(items)
      return { row: { ...reading.row, ...parts } }
    },
    completion: {
      carries: [purchases.idField],
      draft: async (row) => row,
      complete: async (draft, { organizationId }, existing) => {
        const purchaseId = existing?.purchaseId ?? (await makeId(organizationId, String(draft[KEY])))
        return { ...draft, purchaseId }
      },
    },
  }
}
