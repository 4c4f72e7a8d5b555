import {
  controlsByName,
  setAttribute,
  submitButtons,
  valuesOf,
  within,
  viewField,
  type FieldView,
} from './field-view.ts'
import { answerTypes, type AnswerField } from '../../../domain/forms/language/definition.ts'
import {
  dependencyOrder,
  visibleFields,
  type ConditionalField,
} from '../../../domain/forms/language/visibility.ts'
import { readAnswer } from '../../../domain/forms/language/answers.ts'
import type { Voice } from '../../../domain/forms/language/words.ts'

/** A form in the page. */
export interface FormView {
  /** Shows and hides fields, depending on the current values. */
  readonly update: () => void
  /** Whether the form has a field of this id. Without a definition it is not known, and every name counts as one. */
  readonly asksFor: (id: string) => boolean
  /** Removes the error of a field that the visitor is correcting. */
  readonly corrected: (name: string) => void
  /** Shows a message about the whole form, and removes all errors. */
  readonly say: (text: string) => void
  /**
   * Shows errors at their fields and the others in the summary, and moves the focus to the first of them.
   * @param details further lines of the summary
   */
  readonly complain: (text: string, errors: ReadonlyMap<string, string>, details?: readonly string[]) => void
  readonly setBusy: (isBusy: boolean) => void
  /** Restores the form to its original state. */
  readonly release: () => void
}

/** Connects a published form's fields with the controls of the same names. */
export function viewForm(form: HTMLFormElement, definition: PublishedForm): FormView {
  const prepared = prepareForm(definition)
  const controls = controlsByName(form)
  const views = viewFields(form, [...prepared.ids, ...controls.keys()], controls)
  const summary = summaryOf(form)
  const clear = (): void => {
    for (const view of views.values()) view.complain(null)
    summary.say('')
  }
  const isAtField = (id: string): boolean =>
    views.get(id)?.controls.some(({ type }) => type !== 'hidden') ?? false
  const values = (id: string) => valuesOf(views.get(id)?.controls ?? [])
  return {
    update: () => {
      const answers = prepared.ids.map((id) => [id, prepared.answer(id, values(id))] as const)
      const shown = prepared.visible(new Map(answers))
      for (const id of prepared.ids) views.get(id)?.show(shown.has(id))
    },
    asksFor: (id) => prepared.ids.length === 0 || prepared.ids.includes(id),
    corrected: (name) => {
      if (views.get(name)?.hasError !== true) return
      views.get(name)?.complain(null)
      if (![...views.values()].some(({ hasError }) => hasError)) summary.say('')
    },
    say: (text) => {
      clear()
      summary.say(text)
    },
    complain: (text, errors, details = []) => {
      clear()
      for (const [id, message] of errors) if (isAtField(id)) views.get(id)?.complain(message)
      const others = [...errors].filter(([id]) => !isAtField(id))
      const told = others.map(([id, message]) => `${prepared.labels.get(id) ?? id}: ${message}`)
      summary.say(text, [...told, ...details])
      // The first error in the order of the page, in which the visitor reads it.
      const first = [...controls.keys()].map((name) => views.get(name)).find((view) => view?.hasError)
      if (first === undefined) summary.focus()
      else first.focus()
    },
    setBusy: (isBusy) => {
      setAttribute(form, 'aria-busy', isBusy ? 'true' : null)
      // The button is not disabled, because then a visitor who pressed it would lose the focus.
      for (const button of submitButtons(form)) setAttribute(button, 'aria-disabled', isBusy ? 'true' : null)
    },
    release: () => {
      clear()
      summary.remove()
      for (const view of views.values()) view.restore()
    },
  }
}

function viewFields(
  form: HTMLFormElement,
  names: readonly string[],
  controls: ReturnType<typeof controlsByName>,
): ReadonlyMap<string, FieldView> {
  return new Map(
    [...new Set(names)].flatMap((name): [string, FieldView][] => {
      const view = viewField(form, name, controls.get(name) ?? [])
      return view === null ? [] : [[name, view]]
    }),
  )
}

/** The part of a published form (`GET /api/v1/forms/{formId}`) that the client reads. */
export interface PublishedForm {
  readonly language?: Voice['language']
  /** What the client says, by key, where it is not its own English. */
  readonly words?: Readonly<Record<string, string>>
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
interface PreparedForm {
  readonly ids: readonly string[]
  readonly labels: ReadonlyMap<string, string>
  /** The ids of the fields that are shown for raw answers by field id. */
  visible(answers: ReadonlyMap<string, unknown>): ReadonlySet<string>
  /** The answer that a field's form values mean, read as the service reads it; null: no answer, or an invalid one. */
  answer(id: string, values: readonly string[]): unknown
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
  }
}

/** The part of a form for messages about the whole form. Screen readers announce it when it changes. */
interface Summary {
  /** Shows a message. An empty text removes it. */
  say(text: string, details?: readonly string[]): void
  focus(): void
  remove(): void
}

/**
 * The element for the summary: the site's own, marked `data-form-summary`, or a new one at the beginning of the form.
 */
function summaryOf(form: HTMLFormElement): Summary {
  const [given] = within(form, '[data-form-summary]')
  const element = given ?? document.createElement('div')
  element.classList.add('form-client-summary')
  element.setAttribute('role', 'alert')
  element.tabIndex = -1
  if (given === undefined) Element.prototype.prepend.call(form, element)
  return {
    say: (text, details = []) => {
      element.replaceChildren(...(text === '' ? [] : [textElement('p', text)]))
      if (details.length > 0) element.append(list(details))
    },
    focus: () => {
      element.focus()
    },
    remove: () => {
      element.replaceChildren()
      if (given === undefined) element.remove()
    },
  }
}

function list(details: readonly string[]): HTMLElement {
  const element = document.createElement('ul')
  element.append(...details.map((detail) => textElement('li', detail)))
  return element
}

/** Creates an element with a text. */
function textElement(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

/** The body that the service returns for a saved submission. */
export interface Receipt {
  readonly ok: true
  readonly submissionId?: string
  readonly title?: string
  readonly message?: string
  readonly redirectUrl?: string
}

/**
 * Replaces the form with its success title and message, and moves the focus to them.
 * @returns a function that shows the form again in their place
 */
export function showReceipt(form: HTMLFormElement, { title, message }: Receipt): () => void {
  const element = document.createElement('div')
  element.className = 'form-client-receipt'
  element.setAttribute('role', 'status')
  element.tabIndex = -1
  if (title !== undefined) element.append(textElement('h2', title))
  element.append(textElement('p', message ?? ''))
  Element.prototype.after.call(form, element)
  const style: CSSStyleDeclaration = Reflect.get(HTMLElement.prototype, 'style', form)
  const { display } = style
  style.display = 'none'
  element.focus()
  return () => {
    element.remove()
    style.display = display
  }
}
