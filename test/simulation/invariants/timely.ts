import { toInstant } from '../../../domain/text/instant.ts'
import { isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

/** Tables whose `updated_at` is the service's own time, which no reader sees. */
const OWN_TIME: ReadonlySet<string> = new Set(['outbox', 'sends'])

/** Tables of which rows may disappear from the database in which their organization lives. */
const PASSING =
  /^(?:outbox|automation_messages|send_requests|form_signs|webhooks|webhook_deliveries|import_\w+|write_pauses|move_\w+|placed_\w+)$/

/** Columns that change only because the content of a row does. */
const FOLLOWING: ReadonlySet<string> = new Set(['updated_at', 'version'])

/** How far the clock of the service may be ahead of the database's, in ms. */
const AHEAD_MAX_MS = 2_000
/** How far a call may be behind when it arrives, in ms: it may be slow in both directions. */
const BEHIND_MAX_MS = 200_000

/**
 * Checks the instants of rows: the content of a row changes if and only if its `updatedAt` does, which is then the
 * instant to which the same write moved the clock of the organization. A client that syncs depends on all of that.
 */
export function createTimelyChecks({ stored, nowMs, violated }: Watch): ChangeCheck {
  const checkRow = (change: HomeChange, moved: ReadonlySet<string>): void => {
    const { table, organizationId, before, after, columns } = change
    if (after?.updated_at === undefined || OWN_TIME.has(table)) return
    const named = `${table} of ${organizationId}: ${JSON.stringify(after)}`
    const isTimed = columns.includes('updated_at')
    const content = columns.filter((column) => !FOLLOWING.has(column))
    if (before !== null && content.length > 0 !== isTimed)
      violated(
        'the content of a row changes if and only if its updatedAt does',
        `${columns.join(', ')} in ${named}`,
      )
    if (before !== null && 'version' in after && columns.includes('version') !== content.length > 0)
      violated('a form has a new version if and only if it is changed', named)
    if (before !== null && 'version' in after && after.version !== Number(before.version) + Number(isTimed))
      violated('a form has a new version if and only if it is changed', named)
    if (!isTimed) return
    const clock = stored.rowOf(organizationId, 'organizations')?.clock_at
    if (after.updated_at !== clock || !moved.has(organizationId))
      violated('updatedAt comes from the clock of the organization', `${textOf(clock)}, ${named}`)
  }
  const checkClock = ({ organizationId, before, after }: HomeChange): void => {
    if (before === null) return
    const [from, to] = [textOf(before.clock_at), textOf(after?.clock_at)]
    if (to <= from) violated('updatedAt grows with every write', `${organizationId}: from ${from} to ${to}`)
    const latestMs = Math.max(nowMs() + AHEAD_MAX_MS, Date.parse(from) + 1)
    if (Date.parse(to) > latestMs || Date.parse(to) < nowMs() - BEHIND_MAX_MS)
      violated('updatedAt is the time of the write', `${organizationId}: ${to} at ${toInstant(nowMs())}`)
  }
  return (changes) => {
    const home = changes.filter(isAtHome)
    const clocks = home.filter(
      ({ table, columns }) => table === 'organizations' && columns.includes('clock_at'),
    )
    clocks.forEach(checkClock)
    const moved = new Set(clocks.map(({ organizationId }) => organizationId))
    for (const change of home) {
      if (change.after === null && !PASSING.test(change.table))
        violated(
          'no row is lost',
          `${change.table} of ${change.organizationId}: ${JSON.stringify(change.before)}`,
        )
      checkRow(change, moved)
    }
  }
}
