import type { Receipt } from './send.ts'
import { textElement } from './summary.ts'

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
