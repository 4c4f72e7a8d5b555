import { answerTypes, type AnswerField } from '../../../domain/forms/language/definition.ts'
import {
  dependencyOrder,
  visibleFields,
  type ConditionalField,
} from '../../../domain/forms/language/visibility.ts'
import { answerProblem, readAnswer } from '../../../domain/forms/language/answers.ts'

/** The part of a published form (`GET /api/v1/forms/{formId}`) that the client reads. */
export interface PublishedForm {
  readonly fields: readonly PublishedField[]
}

export interface PublishedField {
  readonly id: string
  readonly type: string
  readonly label?: string | null
  readonly required?: boolean | null
  readonly min?: number | string | null
  readonly max?: number | string | null
  readonly options?: readonly { readonly value: string; readonly label: string }[] | null
  readonly visibleWhen?: {
    readonly match: 'all' | 'any'
    readonly rules: readonly { readonly field: string; readonly operator: string; readonly value?: unknown }[]
  } | null
}

/** A form whose rules are prepared, because they are applied whenever the visitor types. */
export interface PreparedForm {
  readonly ids: readonly string[]
  readonly labels: ReadonlyMap<string, string>
  /** The ids of the fields that are shown for raw answers by field id. */
  visible(answers: ReadonlyMap<string, unknown>): ReadonlySet<string>
  /** The answer that a field's form values mean, read as the service reads it; null: no answer, or an invalid one. */
  answer(id: string, values: readonly string[]): unknown
  /**
   * What the service would say of the form values of a number; null: nothing, or another type. Everything else the
   * browser checks by itself, but its own control for numbers would lose a decimal comma, so they are typed as text.
   */
  numberProblem(id: string, values: readonly string[]): string | null
}

/**
 * Prepares a published form. Its rules are evaluated by the same code as in the service. When rules depend on each
 * other in a cycle, which the service does not accept, every field is shown.
 */
export function prepareForm(form: PublishedForm): PreparedForm {
  // No check is needed here: the service either checked the form before publishing it, or refuses every submission of
  // the form and says why.
  const fields = form.fields.map((field) => ({
    ...field,
    visibleWhen: field.visibleWhen ?? null,
    required: field.required ?? false,
    options: field.options ?? [],
    min: field.min ?? null,
    max: field.max ?? null,
  })) as unknown as (ConditionalField & AnswerField)[]
  const byId = new Map(fields.map((field) => [field.id, field]))
  const { resolved, cyclic } = dependencyOrder(fields)
  const ids = [...byId.keys()]
  return {
    ids,
    labels: new Map(form.fields.map(({ id, label }) => [id, label ?? id])),
    visible: (answers) => (cyclic.length > 0 ? new Set(ids) : visibleFields(resolved, answers)),
    answer: (id, values) => {
      const field = byId.get(id)
      if (field === undefined || !(answerTypes as readonly string[]).includes(field.type)) return null
      const reading = readAnswer(field, values, 'form')
      return reading.kind === 'answer' ? reading.value : null
    },
    numberProblem: (id, values) => {
      const field = byId.get(id)
      return field?.type === 'number' ? answerProblem(field, readAnswer(field, values, 'form')) : null
    },
  }
}
