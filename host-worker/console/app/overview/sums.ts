import type { ItemOf } from '../service/operations.ts'

/** What went out and came in lately. */
export interface Activity {
  readonly sends: readonly Pick<ItemOf<'sends.list'>, 'at' | 'outcome' | 'channel'>[]
  readonly submissions: readonly Pick<ItemOf<'submissions.list'>, 'submittedAt'>[]
}

/** The sends since a day. */
export function entriesOf<Send extends { readonly at: string }>(
  sends: readonly Send[],
  firstDay: string,
): readonly Send[] {
  return sends.filter(({ at }) => at >= firstDay)
}

const DAY_MS = 86_400_000

/** The days (of UTC) up to now, the oldest first, as `YYYY-MM-DD`. */
export function lastDays(nowMs: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(nowMs - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** How many instants fall on each of the days. */
export function countByDay(
  instants: readonly string[],
  days: readonly string[],
): readonly { readonly day: string; readonly count: number }[] {
  const counts = new Map(days.map((day) => [day, 0]))
  for (const instant of instants) {
    const day = instant.slice(0, 10)
    const count = counts.get(day)
    if (count !== undefined) counts.set(day, count + 1)
  }
  return [...counts].map(([day, count]) => ({ day, count }))
}

type Entry = Pick<ItemOf<'outbox.list'>, 'status' | 'nextAttemptAt' | 'createdAt'>

/** The outbox in figures. */
export interface OutboxSums {
  readonly pending: number
  readonly held: number
  readonly failed: number
  /** Since when the entry waits that is due and waits longest; null: none is due. */
  readonly oldestDueAt: string | null
}

/** Counts the entries by state. */
export function sumOutbox(entries: readonly Entry[], nowMs: number): OutboxSums {
  const count = (wanted: Entry['status']) => entries.filter(({ status }) => status === wanted).length
  const due = entries
    .filter(({ status, nextAttemptAt }) => status === 'pending' && Date.parse(nextAttemptAt) <= nowMs)
    .map(({ nextAttemptAt }) => nextAttemptAt)
    .sort()
  return {
    pending: count('pending'),
    held: count('held'),
    failed: count('failed'),
    oldestDueAt: due[0] ?? null,
  }
}
