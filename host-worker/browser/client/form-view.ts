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

let messages = 0

/** One field in the page. */
interface FieldView {
  readonly controls: readonly Control[]
  /**
   * Shows or hides the field. The controls of a hidden field are disabled, so that the browser neither sends nor
   * validates them.
   */
  show(isShown: boolean): void
  /** Restores the field to its original state. */
  restore(): void
  /** Shows an error at the field, or removes it (null). */
  complain(message: string | null): void
  readonly hasError: boolean
  focus(): void
}

/** The view of a field in a form; null when the form has no element for it. */
function viewField(form: HTMLFormElement, id: string, controls: readonly Control[]): FieldView | null {
  const parts = partsOf(form, id, controls).map((element) => ({
    element,
    isHidden: element.hidden,
    display: element.style.display,
  }))
  if (parts.length === 0) return null
  // What says that the question may not apply. Once its condition is decided, it does, or is hidden.
  const doubts = parts.flatMap(({ element }) => [
    ...element.querySelectorAll<HTMLElement>('[data-undecided]'),
  ])
  // Controls that the site itself disabled stay disabled.
  const own = controls.filter((control) => !control.disabled)
  const partOf = (control: Control | undefined): HTMLElement | undefined =>
    parts.find(({ element }) => control !== undefined && element.contains(control))?.element
  let error: HTMLElement | null = null
  const clear = (): void => {
    if (error === null) return
    for (const control of controls) unmark(control, error.id)
    error.remove()
    error = null
  }
  return {
    controls,
    show: (isShown) => {
      for (const { element, display } of parts) {
        element.hidden = !isShown
        // A style sheet with `display: grid` would override the attribute.
        element.style.display = isShown ? display : 'none'
      }
      for (const doubt of doubts) doubt.style.display = 'none'
      for (const control of own) control.disabled = !isShown
      if (!isShown) clear()
    },
    restore: () => {
      for (const { element, isHidden, display } of parts) {
        element.hidden = isHidden
        showAs(element, display)
      }
      for (const doubt of doubts) showAs(doubt, '')
      for (const control of own) control.disabled = false
      clear()
    },
    complain: (message) => {
      clear()
      if (message === null) return
      error = document.createElement('p')
      error.id = freeId()
      error.className = 'form-client-error'
      error.textContent = message
      place(error, id, partOf(controls.at(-1)))
      for (const control of controls) mark(control, error.id)
    },
    get hasError() {
      return error !== null
    },
    focus: () => controls.find((control) => !control.disabled && control.type !== 'hidden')?.focus(),
  }
}

/** Gives an element back the display that it had of its own. */
function showAs(element: HTMLElement, display: string): void {
  element.style.display = display
  if (element.getAttribute('style') === '') element.removeAttribute('style')
}

/** An id that no element of the page has. A page may load the client twice, so counting is not enough. */
function freeId(): string {
  messages += 1
  const id = `form-client-error-${messages}`
  return document.getElementById(id) === null ? id : freeId()
}

/**
 * Inserts the error into the element that groups the field, but never into a label, where screen readers would read it
 * as part of the field's name.
 */
function place(error: HTMLElement, id: string, part: HTMLElement | undefined): void {
  if (part === undefined) return
  if (part.dataset.field === id || part instanceof HTMLFieldSetElement) part.append(error)
  else part.after(error)
}

function mark(control: Control, errorId: string): void {
  setAttribute(control, 'aria-invalid', 'true')
  setAttribute(control, 'aria-describedby', [...describedBy(control), errorId].join(' '))
}

function unmark(control: Control, errorId: string): void {
  const left = describedBy(control).filter((id) => id !== errorId)
  setAttribute(control, 'aria-invalid', null)
  setAttribute(control, 'aria-describedby', left.length === 0 ? null : left.join(' '))
}

function describedBy(control: Control): readonly string[] {
  return (control.getAttribute('aria-describedby') ?? '').split(/\s+/).filter((id) => id !== '')
}

/** Every element of a form that has a value. */
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

// A control named `elements` or `action` hides the form's property of that name. So all properties are read through the
// prototypes.

/** The controls of a form by name, in the order of the document. */
function controlsByName(form: HTMLFormElement): ReadonlyMap<string, readonly Control[]> {
  const byName = new Map<string, Control[]>()
  for (const element of elementsOf(form)) {
    if (!isControl(element) || element.name === '') continue
    byName.set(element.name, [...(byName.get(element.name) ?? []), element])
  }
  return byName
}

/** The buttons that submit the form. */
function submitButtons(form: HTMLFormElement): readonly Element[] {
  return elementsOf(form).filter((element) =>
    element.matches('[type=submit], [type=image], button:not([type])'),
  )
}

function elementsOf(form: HTMLFormElement): readonly Element[] {
  return Array.from<Element>(Reflect.get(HTMLFormElement.prototype, 'elements', form))
}

/** The elements within a form that match the selector. */
function within(form: HTMLFormElement, selector: string): readonly HTMLElement[] {
  const root = Node.prototype.getRootNode.call(form) as ParentNode
  return Array.from(root.querySelectorAll<HTMLElement>(selector)).filter((element) =>
    Node.prototype.contains.call(form, element),
  )
}

/** Sets an attribute of the form, or removes it when the value is null. */
function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) Element.prototype.removeAttribute.call(element, name)
  else Element.prototype.setAttribute.call(element, name, value)
}

/** The URL to which a form is sent. An action that is no URL stays as it is. */
export function actionOf(form: HTMLFormElement): string {
  const action = Element.prototype.getAttribute.call(form, 'action') ?? ''
  return URL.canParse(action, document.baseURI) ? new URL(action, document.baseURI).href : action
}

function isControl(element: Element): element is Control {
  return (
    (element instanceof HTMLInputElement && !['submit', 'image', 'reset', 'button'].includes(element.type)) ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  )
}

/** The values that the controls of one name would send if none of them were disabled. */
function valuesOf(controls: readonly Control[]): readonly string[] {
  return controls.flatMap((control) => {
    if (control instanceof HTMLSelectElement) return [...control.selectedOptions].map(({ value }) => value)
    const isTickable = control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)
    return isTickable && !control.checked ? [] : [control.value]
  })
}

/**
 * The elements that show a field: the one marked `data-field="ID"`; else the fieldset that contains its controls and no
 * others; else the label around the control; else the control with its labels.
 */
function partsOf(form: HTMLFormElement, id: string, controls: readonly Control[]): readonly HTMLElement[] {
  const marked = within(form, '[data-field]').filter((element) => element.dataset.field === id)
  if (marked.length > 0) return marked
  const fieldset = controls[0]?.closest('fieldset') ?? null
  if (fieldset !== null && [...fieldset.elements].every((element) => (element as Control).name === id))
    return [fieldset]
  return [...new Set(controls.flatMap((control) => [control, ...(control.labels ?? [])]))].filter(
    (element, _, all) => !all.some((other) => other !== element && other.contains(element)),
  )
}
