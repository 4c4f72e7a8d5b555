/** Every element of a form that has a value. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

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
    (element instanceof HTMLInputElement &&
      !['submit', 'image', 'reset', 'button', 'file'].includes(element.type)) ||
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
export function partsOf(
  form: HTMLFormElement,
  id: string,
  controls: readonly Control[],
): readonly HTMLElement[] {
  const marked = within(form, '[data-field]').filter((element) => element.dataset.field === id)
  if (marked.length > 0) return marked
  const fieldset = controls[0]?.closest('fieldset') ?? null
  if (fieldset !== null && [...fieldset.elements].every((element) => (element as Control).name === id))
    return [fieldset]
  return [...new Set(controls.flatMap((control) => [control, ...(control.labels ?? [])]))].filter(
    (element, _, all) => !all.some((other) => other !== element && other.contains(element)),
  )
}
