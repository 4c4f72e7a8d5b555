let messages = 0

/** One field in the page. */
export interface FieldView {
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
export function viewField(form: HTMLFormElement, id: string, controls: readonly Control[]): FieldView | null {
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
export function controlsByName(form: HTMLFormElement): ReadonlyMap<string, readonly Control[]> {
  const byName = new Map<string, Control[]>()
  for (const element of elementsOf(form)) {
    if (!isControl(element) || element.name === '') continue
    byName.set(element.name, [...(byName.get(element.name) ?? []), element])
  }
  return byName
}

/** The buttons that submit the form. */
export function submitButtons(form: HTMLFormElement): readonly Element[] {
  return elementsOf(form).filter((element) =>
    element.matches('[type=submit], [type=image], button:not([type])'),
  )
}

function elementsOf(form: HTMLFormElement): readonly Element[] {
  return Array.from<Element>(Reflect.get(HTMLFormElement.prototype, 'elements', form))
}

/** The elements within a form that match the selector. */
export function within(form: HTMLFormElement, selector: string): readonly HTMLElement[] {
  const root = Node.prototype.getRootNode.call(form) as ParentNode
  return Array.from(root.querySelectorAll<HTMLElement>(selector)).filter((element) =>
    Node.prototype.contains.call(form, element),
  )
}

/** Sets an attribute of the form, or removes it when the value is null. */
export function setAttribute(element: Element, name: string, value: string | null): void {
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
export function valuesOf(controls: readonly Control[]): readonly string[] {
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
