import type { Row } from '../engine/changes.ts'
import type { StoredHere } from '../engine/database.ts'
import type { Reference } from '../reference.ts'
import type { PlacedChange, StoredPlaces } from '../service/stored-places.ts'
import { passing } from '../setting.ts'
import { textOf, type ChangeCheck, type Watch } from './watch.ts'

type Violated = Watch['violated']
const DAY_MS = 86_400_000
/** How late the sweep may be that removes what is old, besides the day between two of them, in ms. */
const LATE_MS = 4 * 3_600_000

/** Tables of the service, which tell of organizations that are gone. */
const LASTING: ReadonlySet<string> = new Set(['audit', 'operator_keys'])

const isOfPassing = ({ organizationId }: PlacedChange) => organizationId === passing.organizationId

/**
 * Checks of the organization that comes and goes: a submission is only removed when somebody asked for that or when it is
 * old, and leaves a removal in the same write; and who was erased does not come back.
 */
export function createPassingChecks(
  { stored, nowMs, violated, happened, faults }: Watch,
  { passing: promised }: Reference,
): ChangeCheck {
  const checkGone = ({ table, before }: PlacedChange): void => {
    const organization = stored.rowOf(passing.organizationId, 'organizations')
    // Of an organization that is closed, nobody can read anything.
    if (organization === undefined || !['contacts', 'form_submissions', 'forms'].includes(table)) return
    const id = textOf(before?.submission_id)
    const ageMs = nowMs() + faults.clockErrorMaxMs - Date.parse(textOf(before?.submitted_at))
    const isOld = [...promised.days].some((days) => ageMs >= days * DAY_MS)
    if (isOld) happened('a submission is removed because it is old')
    if (table !== 'form_submissions' || !(isOld || promised.asked.has(id)))
      violated('nothing is removed that should stay', `${table}: ${JSON.stringify(before)}`)
    const removalId = JSON.stringify(['form-submissions', null, id])
    const removal = stored.rowOf(passing.organizationId, 'removals', removalId)
    if (removal?.updated_at !== organization.clock_at)
      violated('what can no longer be read leaves a removal', `${id}: ${JSON.stringify(removal)}`)
  }
  return (changes) => {
    for (const change of changes.filter(isOfPassing)) {
      if (change.after === null) checkGone(change)
      const text = JSON.stringify(change.after)
      const number = [...promised.erased].find((one) => names(text, one))
      if (number !== undefined && !LASTING.has(change.table))
        violated('nobody who was erased comes back', `${change.table}: ${text}`)
    }
  }
}

function names(text: string, number: number): boolean {
  return (
    text.includes(passing.nameOf(number)) ||
    text.toLowerCase().includes(passing.addressOf(number).toLowerCase())
  )
}

/** Every row of the organization in a database. */
function rowsIn(place: StoredHere): readonly { readonly table: string; readonly text: string }[] {
  const tables = place.lookAtAll(
    `select t.name from sqlite_master as t join pragma_table_info(t.name) as c
      where t.type = 'table' and c.name = 'organization_id'`,
  )
  return tables
    .map(({ name }) => String(name))
    .filter((table) => !LASTING.has(table))
    .flatMap((table) =>
      place
        .lookAtAll(`select * from "${table}" where organization_id = ?`, passing.organizationId)
        .map((row) => ({ table, text: JSON.stringify(row) })),
    )
}

const everyRow = (stored: StoredPlaces) =>
  stored.all().flatMap((place) => rowsIn(place).map((row) => ({ ...row, place: place.name })))

/** Checks that nothing is stored of a person who was erased. */
export function namesNobody(stored: StoredPlaces, number: number, violated: Violated): void {
  const found = everyRow(stored).find(({ text }) => names(text, number))
  if (found !== undefined)
    violated('a person who was erased is found nowhere', `${found.table} of ${found.place}: ${found.text}`)
}

/**
 * Checks that nothing is stored of the organization after it was deleted, except for who was erased: a later restore of an
 * older archive must erase them again.
 */
export function leavesNothing(stored: StoredPlaces, violated: Violated): void {
  const left = everyRow(stored).find(({ table }) => table !== 'erasures')
  if (left !== undefined)
    violated('nothing is left of a deleted organization', `${left.table} of ${left.place}: ${left.text}`)
}

/** Checks, when all work is done, that nothing is kept for longer than the organization wants. */
export function checkPassingAtRest(
  stored: StoredPlaces,
  { passing: { erased } }: Reference,
  nowMs: number,
  violated: Violated,
): void {
  for (const number of erased) namesNobody(stored, number, violated)
  const days = Number(stored.rowOf(passing.organizationId, 'retention', 'submissions')?.days ?? Infinity)
  // An import may bring a submission that is old already. The sweep of the following day removes it.
  const isDueAt = (row: Row) =>
    Math.max(Date.parse(textOf(row.submitted_at)) + days * DAY_MS, Date.parse(textOf(row.updated_at)))
  const old = stored
    .rowsOf(passing.organizationId, 'form_submissions')
    .find((row) => nowMs - isDueAt(row) > DAY_MS + LATE_MS)
  if (old !== undefined) violated('what is old is removed', `after ${days} days: ${JSON.stringify(old)}`)
}
