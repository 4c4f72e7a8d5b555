import { within } from './controls.ts'

/** The part of a form for messages about the whole form. Screen readers announce it when it changes. */
export interface Summary {
  /** Shows a message. An empty text removes it. */
  say(text: string, details?: readonly string[]): void
  focus(): void
  remove(): void
}

/**
 * The element for the summary: the site's own, marked `data-form-summary`, or a new one at the beginning of the form.
 */
export function summaryOf(form: HTMLFormElement): Summary {
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
export function textElement(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}
