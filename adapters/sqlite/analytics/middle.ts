import { sql } from '../statement/sql.ts'
import type { Sql } from '../statement/sql.ts'
import { slot } from '../statement/compiler.ts'

/** The one or two values in the middle of a group of members; both are the same when the number of members is odd. */
export interface MiddleRow {
  readonly subject: string
  readonly lower: number
  readonly upper: number
}

interface Spread {
  /**
   * The common table expressions that the statement begins with: `spans (subject, period)` and `ends (subject, value)`.
   */
  readonly before: Sql
  /** The widths of the stored buckets: a value is shifted right by so many bits. Widest first, 0 last. */
  readonly shifts: readonly [number, ...number[]]
}

/**
 * Finds the values in the middle of each subject, over whole periods (`spans`), whose values are stored as buckets in
 * member_spreads, and over single values (`ends`). The search takes one step for each bucket width: it adds up the
 * buckets of that width inside the bucket that the previous step found, and finds the one that contains the middle. So
 * it reads about a hundred buckets for each period, however many members there are.
 */
export function middleOf({ before, shifts }: Spread): Sql<MiddleRow> {
  const steps = shifts.map((shift, index) => step(index, shift, shifts[index - 1] ?? null))
  const last = sql.id(`found${shifts.length - 1}`)
  return sql<MiddleRow>`
    with ${before}, ${sql.join(steps)}
    select subject, max(iif(side = 1, bucket, null)) * 1.0 as lower, max(iif(side = 2, bucket, null)) * 1.0 as upper
    from ${last} group by subject`
}

/**
 * One step: `cells` are the buckets of this width inside the buckets found before, `running` is their running sum, and
 * `found` is the bucket that contains each side of the middle, with its place among the members of that bucket.
 */
function step(index: number, shift: number, widerShift: number | null): Sql {
  const named = (name: string) => sql.id(`${name}${index}`)
  const [cells, running, found] = [named('cells'), named('running'), named('found')]
  const [bits, widening] = [sql.lit(shift), sql.lit((widerShift ?? shift) - shift)]
  const isFirst = widerShift === null
  const wider = isFirst
    ? sql`(select distinct subject, null as bucket from spans union select subject, null from ends)`
    : sql`(select distinct subject, bucket from ${sql.id(`found${index - 1}`)})`
  const within = isFirst
    ? sql``
    : sql`and r.bucket >= w.bucket << ${widening} and r.bucket < (w.bucket + 1) << ${widening}`
  const endWithin = isFirst ? sql`` : sql`and e.value >> ${sql.lit(widerShift)} = w.bucket`
  const places = isFirst
    ? sql`(select subject, null as bucket, side.column1 as side, (max(upto) + side.column1) / 2 as place
        from ${running} cross join (values (1), (2)) as side group by subject, side.column1)`
    : sql.id(`found${index - 1}`)
  return sql`${cells} as (
      select subject, wider, bucket, sum(members) as members from (
        select w.subject, w.bucket as wider, r.bucket, r.members
        from ${wider} as w cross join spans as s on s.subject = w.subject
        cross join member_spreads as r on r.organization_id = ${slot('organizationId')} and r.subject = w.subject
          and r.period = s.period and r.shift = ${bits} ${within}
        union all
        select w.subject, w.bucket, e.value >> ${bits}, 1
        from ${wider} as w cross join ends as e on e.subject = w.subject ${endWithin}
      ) group by subject, wider, bucket
    ), ${running} as materialized (
      select *, sum(members) over (partition by subject, wider order by bucket) as upto from ${cells}
    ), ${found} as materialized (
      select p.subject, p.side, r.bucket, p.place - (r.upto - r.members) as place
      from ${places} as p cross join ${running} as r on r.subject = p.subject and r.wider is p.bucket
        and r.upto >= p.place and r.upto - r.members < p.place
    )`
}
