import { compileForm } from '../../domain/forms/language/compile.ts'
import { ruleHolds, visibleFields } from '../../domain/forms/language/visibility.ts'
import type { Deviation, Situation } from './deviations.ts'
import type { TestCase, TestField } from './generate.ts'
import type { Library } from './library.ts'

/** The result of one case. */
export interface Comparison {
  /** Whether the library shows other fields than the engine here. */
  readonly isDifferent: boolean
  /** The differences that the deviations do not explain, in words; null if they explain everything. */
  readonly unexplained: string | null
  /** Ids of the deviations that changed the outcome of a rule of a field that differs. */
  readonly occurred: ReadonlySet<string>
}

/** Runs both engines and explains the outcome of every field. */
export function compare(testCase: TestCase, library: Library, deviations: readonly Deviation[]): Comparison {
  const ours = visibleHere(testCase)
  const theirs = library.visible(testCase)
  const occurred = new Set<string>()
  const changed = new Set<string>()
  const problems: string[] = []
  for (const [place, field] of testCase.fields.entries()) {
    const reading = readAs(testCase, place, theirs, deviations)
    const isDifferent = ours.has(field.id) !== theirs.has(field.id)
    for (const id of reading.changes) {
      changed.add(id)
      if (isDifferent) occurred.add(id)
    }
    if (reading.isShown !== theirs.has(field.id))
      problems.push(`${library.name} ${theirs.has(field.id) ? 'shows' : 'hides'} ${field.id}`)
  }
  const isDifferent = testCase.fields.some(({ id }) => ours.has(id) !== theirs.has(id))
  // When no deviation applies and the outcomes still differ, one of the engines resolves dependencies wrongly.
  if (isDifferent && changed.size === 0) problems.push(`this engine shows ${[...ours].sort().join(', ')}`)
  return { isDifferent, unexplained: problems.length === 0 ? null : problems.join('; '), occurred }
}

function visibleHere({ fields, answers }: TestCase): ReadonlySet<string> {
  const definition = { formId: 'f', name: 'F', isPublished: true, notificationEmails: [], fields }
  const compilation = compileForm(definition)
  if (compilation.kind === 'unsupported') throw new Error(compilation.reasons.join(' '))
  return visibleFields(compilation.form.resolved, new Map(Object.entries(answers)))
}

interface Reading {
  readonly isShown: boolean
  /** Deviations that changed the outcome of a rule. */
  readonly changes: readonly string[]
}

/**
 * Whether the engine here would show the field at this place if it deviated in these ways and saw what the library
 * shows.
 */
function readAs(
  { fields, answers }: TestCase,
  place: number,
  theirs: ReadonlySet<string>,
  deviations: readonly Deviation[],
): Reading {
  const visibleWhen = fields[place]?.visibleWhen
  if (visibleWhen === undefined) return { isShown: true, changes: [] }
  const outcomes = visibleWhen.rules.map((rule) => {
    const subjectPlace = fields.findIndex(({ id }) => id === rule.field)
    const { type } = fields[subjectPlace] as TestField
    const isHidden = !theirs.has(rule.field)
    const keeper = isHidden ? deviations.find((one) => keepsHidden(one, subjectPlace > place)) : undefined
    const answer = isHidden && keeper === undefined ? null : answers[rule.field]
    const { holds, reader } = readRule({ rule, type, answer }, deviations)
    const here = ruleHolds(rule, type, isHidden ? null : answers[rule.field])
    return { holds, changes: holds === here ? [] : [keeper?.id, reader].filter((id) => id !== undefined) }
  })
  const held = outcomes.map(({ holds }) => holds)
  const isShown = visibleWhen.match === 'all' ? held.every(Boolean) : held.some(Boolean)
  return { isShown, changes: outcomes.flatMap(({ changes }) => changes) }
}

function keepsHidden(deviation: Deviation, isLater: boolean): boolean {
  return deviation.kind === 'answer' && deviation.keepsHidden(isLater)
}

function readRule(
  situation: Situation,
  deviations: readonly Deviation[],
): { readonly holds: boolean; readonly reader: string | undefined } {
  const here = ruleHolds(situation.rule, situation.type, situation.answer)
  for (const deviation of deviations) {
    const holds = deviation.kind === 'rule' ? deviation.reads(situation) : null
    if (holds !== null) return { holds, reader: holds === here ? undefined : deviation.id }
  }
  return { holds: here, reader: undefined }
}
