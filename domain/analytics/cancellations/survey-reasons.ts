import type { ReasonCount } from '../../../ports/sources.ts'
import { totalOf } from '../../figures/total.ts'
import { percentage } from '../../figures/ratio.ts'
import { nullsLast } from '../../text/characters.ts'

/** The code of all reasons that are not in the list. */
const OTHER = 'other'

interface ReasonRow {
  readonly reason: string
  readonly rawCodes: string[]
  readonly count: number
  readonly pct: number
}

export interface SurveyFigures {
  readonly selections: number
  readonly reasons: ReasonRow[]
  readonly other: { readonly count: number; readonly pct: number }
}

/**
 * The reasons for raw codes: most frequent first, then by name. Percentages are of all selections, `other` included.
 */
export function surveyFigures(counted: readonly ReasonCount[]): SurveyFigures {
  const selections = totalOf(counted, ({ count }) => count)
  const groups = [...Map.groupBy(counted, ({ code }) => canonicalCode(code))].map(([code, spellings]) => {
    const count = totalOf(spellings, (spelling) => spelling.count)
    return {
      code,
      rawCodes: spellings.map((spelling) => spelling.code).sort(nullsLast),
      ...share(count, selections),
    }
  })
  const other = groups.find(({ code }) => code === OTHER)
  const reasons = groups
    .filter(({ code }) => code !== OTHER)
    .map(({ code, rawCodes, count, pct }) => ({ reason: sentenceCase(code), rawCodes, count, pct }))
  return {
    selections,
    reasons: reasons.sort((left, right) => right.count - left.count || nullsLast(left.reason, right.reason)),
    other: share(other?.count ?? 0, selections),
  }
}

function share(count: number, selections: number) {
  return { count, pct: percentage(count, selections) ?? 0 }
}

/** Codes with the same normal form are one reason: `Too-Expensive` and `too expensive` are `too_expensive`. */
function canonicalCode(code: string): string {
  return code.toLowerCase().replaceAll(/[ _-]+/g, '_')
}

/** Turns `too_expensive` into `Too expensive`. */
function sentenceCase(code: string): string {
  const [first = '', ...rest] = code.replaceAll('_', ' ')
  return first.toUpperCase() + rest.join('')
}
