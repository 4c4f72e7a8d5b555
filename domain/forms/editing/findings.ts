import type { FormDefinition } from '../../../ports/records.ts'
import { echoed } from '../../bounds/echo.ts'
import { listOf } from '../../text/json.ts'
import { ended } from '../../words/sentence.ts'
import { abuseWarnings } from '../definition/abuse-warnings.ts'
import { compileForm, type CompiledForm } from '../definition/compiled/compile.ts'
import { pathText, type FormProblem } from '../definition/problem.ts'
import { placedWarnings } from '../definition/compiled/support.ts'
import { readGivenForm, unknownKeysOf, type GivenForm } from './given-form.ts'

/** What the service thinks of a part of a form that is being written. */
export interface Finding extends FormProblem {
  /** `refused`: it cannot be saved. `hosted`: it cannot be published here. `warning`: probably not what was meant. */
  readonly kind: 'refused' | 'hosted' | 'warning'
}

/** What there is to say about a form that is being written. */
export interface FormReview {
  readonly findings: readonly Finding[]
  /** The form, when it can be submitted here. */
  readonly form: CompiledForm | null
}

/** Looks through a form as the service does when it is saved and published, except for what else is stored. */
export function reviewForm(given: GivenForm): FormReview {
  const reading = readGivenForm(given)
  const issues = 'issues' in reading ? reading.issues : []
  const refused = [
    ...issues.map(({ field, message }) => ({ path: pathIn(field), message })),
    ...unknownKeysOf(given),
  ].map(({ path, message }) => ({ path, sentence: `${echoed(pathText(path))} ${ended(message)}` }))
  const refusedPlaces = new Set(refused.map(({ path }) => pathText(path)))
  // What is refused must not hide what is wrong with the fields.
  const definition = { ...given, fields: listOf(given.fields) } as unknown as FormDefinition
  const compilation = compileForm(definition)
  const password = typeof given.password === 'string' ? given.password : null
  const weak = abuseWarnings(definition, { password, messages: [] })
  return {
    findings: [
      ...ofKind('refused', refused),
      ...ofKind('hosted', compilation.kind === 'unsupported' ? compilation.problems : []),
      ...ofKind('warning', [
        ...placedWarnings(definition).filter(({ path }) => !refusedPlaces.has(pathText(path))),
        ...weak.map((sentence) => ({ path: ['password'], sentence })),
      ]),
    ],
    form: compilation.kind === 'supported' && issues.length === 0 ? compilation.form : null,
  }
}

function ofKind(kind: Finding['kind'], problems: readonly FormProblem[]): readonly Finding[] {
  return problems.map((problem) => ({ ...problem, kind }))
}

/** The path that a line's issue names: keys and positions joined by dots. No key of a form has a dot in it. */
function pathIn(field: string): FormProblem['path'] {
  return field.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
}
