import type { StoredValue } from '../../../ports/placement/move.ts'
import { FORM_ID_MAX_LENGTH } from '../../forms/language/definition.ts'
import { membersOf, parsedOr } from '../../text/json.ts'

// Ids of forms are unique in the whole service, so a restoration beside the organization that was archived gives every
// form another one. Whatever names a form by its id in a row names it by the new one; texts, as a public URL, stay.

/** The new id of each form of an archive. */
export type FormIds = Readonly<Record<string, string>>

/** How many ids are looked up together, and how many are tried for a form before it is given up. */
const LOOKED_UP = 500
const TRIED_TOGETHER = 10
const TRIED_MAX = 1_000

/**
 * Chooses a new id for each form: `ID-2`, or the first number that is free. One that is too long for that is cut.
 * @param heldOf those of some ids that other organizations hold
 * @returns null: some form has no free id
 */
export async function newFormIds(
  formIds: readonly string[],
  heldOf: (formIds: readonly string[]) => Promise<readonly string[]>,
): Promise<FormIds | null> {
  const taken = new Set(formIds)
  const chosen: Record<string, string> = {}
  for (let start = 0; start < formIds.length; start += LOOKED_UP) {
    let waiting = [...new Set(formIds.slice(start, start + LOOKED_UP))]
    for (let first = 2; waiting.length > 0; first += TRIED_TOGETHER) {
      if (first > TRIED_MAX) return null
      const numbers = Array.from({ length: TRIED_TOGETHER }, (_, index) => first + index)
      const candidatesOf = (id: string) => numbers.map((number) => numbered(id, number))
      const held = new Set(await heldOf(waiting.flatMap(candidatesOf)))
      waiting = waiting.filter((id) => {
        const free = candidatesOf(id).find((candidate) => !held.has(candidate) && !taken.has(candidate))
        if (free === undefined) return true
        taken.add(free)
        chosen[id] = free
        return false
      })
    }
  }
  return chosen
}

function numbered(id: string, number: number): string {
  const end = `-${number}`
  return `${id.slice(0, FORM_ID_MAX_LENGTH - end.length)}${end}`
}

/** The fields whose value is the id of a form, and the documents in which the member `formId` is one. */
const FIELDS = ['formId', 'triggerFormId']
const DOCUMENTS = ['definition', 'trigger', 'payload']

type Row = readonly StoredValue[]

/** A row in which forms have their new ids. */
export function withFormIds(table: string, fields: readonly string[], row: Row, formIds: FormIds): Row {
  const newId = (value: unknown) =>
    typeof value === 'string' && Object.hasOwn(formIds, value) ? formIds[value] : undefined
  const isRemoval = table === 'removals' && row[fields.indexOf('collection')] === 'forms'
  return row.map((value, index) => {
    const field = fields[index] ?? ''
    if (FIELDS.includes(field) || (isRemoval && field === 'id')) return newId(value) ?? value
    if (isRemoval && field === 'removalId') {
      const parts = parsedOr(String(value), null)
      return Array.isArray(parts) ? JSON.stringify(parts.map((part: unknown) => newId(part) ?? part)) : value
    }
    if (!DOCUMENTS.includes(field)) return value
    const document = membersOf(parsedOr(String(value), null))
    const formId = newId(document.formId)
    return formId === undefined ? value : JSON.stringify({ ...document, formId })
  })
}
