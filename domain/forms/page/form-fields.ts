import type { Html } from '../../text/html.ts'
// Under another name the formatter leaves these templates as they are: people read and paste what they make.
import { html as markup } from '../../text/html.ts'
import type { ClientField } from '../definition/compiled/client-definition.ts'
import type { Choice } from '../definition/definition.ts'

/**
 * The lines of markup of one field. The element with `data-field` is the one that the form client shows and hides, and
 * in which it places an error.
 * @param id the `id` of the control: ids of fields may have characters that are awkward in a page
 */
export function fieldLines(field: ClientField, id: string): readonly Html[] {
  switch (field.type) {
    case 'heading':
      return [markup`<h2 data-field="${field.id}">${nameOf(field)}</h2>`]
    case 'paragraph':
      return [markup`<p data-field="${field.id}">${nameOf(field)}</p>`]
    case 'single_choice':
      return group(field, id, 'radio', field.options ?? [])
    case 'boolean':
      // Two buttons and no checkbox, because an unticked checkbox cannot tell "no" from no answer.
      return group(field, id, 'radio', yesAndNo)
    case 'multiple_choice':
      return group(field, id, 'checkbox', field.options ?? [])
    case 'consent':
      return consent(field, id)
    case 'long_text':
      return labelled(
        field,
        id,
        markup`<textarea id="${id}" name="${field.id}"${lengths(field)}${common(field, id)}></textarea>`,
      )
    case 'short_text':
    case 'email':
    case 'phone':
      return labelled(field, id, input(field, id, inputTypes[field.type], lengths(field)))
    case 'number':
      return labelled(
        field,
        id,
        input(field, id, 'number', markup` step="any" inputmode="decimal"${bounds(field)}`),
      )
    case 'date':
      return labelled(field, id, input(field, id, 'date', bounds(field)))
  }
}

const inputTypes = { short_text: 'text', email: 'email', phone: 'tel' } as const

const yesAndNo: readonly Choice[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** What names the field for a visitor. Without a name, a control cannot be understood with a screen reader. */
function nameOf({ id, label }: ClientField): string {
  return label.trim() === '' ? id : label
}

/** Without a script a conditional field is always there, so the browser must not insist on it. The service does. */
function isInsisted({ required, visibleWhen }: ClientField): boolean {
  return required === true && visibleWhen === undefined
}

function hint(field: ClientField): Html | null {
  if (isInsisted(field)) return null
  return markup` <span class="hint">${field.required === true ? '(if it applies)' : '(optional)'}</span>`
}

function helpLines({ helpText }: ClientField, id: string): readonly Html[] {
  return helpText === undefined ? [] : [markup`  <p class="hint" id="${id}-help">${helpText}</p>`]
}

function describedBy({ helpText }: ClientField, id: string): Html | null {
  return helpText === undefined ? null : markup` aria-describedby="${id}-help"`
}

/** An attribute; nothing when it has no value. */
function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : markup` ${name}="${value}"`
}

/** The attributes of every control that is typed into. A placeholder has no line breaks (HTML, `placeholder`). */
function common(field: ClientField, id: string): Html {
  const { placeholder, autocomplete } = field
  const shown = attribute('placeholder', placeholder?.replaceAll(/\s+/g, ' '))
  const required = isInsisted(field) ? markup` required` : null
  return markup`${shown}${attribute('autocomplete', autocomplete)}${describedBy(field, id)}${required}`
}

function lengths({ minLength, maxLength }: ClientField): Html {
  return markup`${attribute('minlength', minLength)}${attribute('maxlength', maxLength)}`
}

function bounds({ min, max }: ClientField): Html {
  return markup`${attribute('min', boundOf(min))}${attribute('max', boundOf(max))}`
}

/** HTML has no year 0, so such a bound is left to the service. */
function boundOf(bound: number | string | undefined): number | string | undefined {
  return typeof bound === 'string' && bound.startsWith('0000') ? undefined : bound
}

function input(field: ClientField, id: string, type: string, more: Html): Html {
  return markup`<input id="${id}" name="${field.id}" type="${type}"${more}${common(field, id)}>`
}

function labelled(field: ClientField, id: string, control: Html): readonly Html[] {
  return [
    markup`<div class="field" data-field="${field.id}">`,
    markup`  <label for="${id}">${nameOf(field)}${hint(field)}</label>`,
    ...helpLines(field, id),
    markup`  ${control}`,
    markup`</div>`,
  ]
}

function group(
  field: ClientField,
  id: string,
  type: 'radio' | 'checkbox',
  options: readonly Choice[],
): readonly Html[] {
  // Of check boxes the browser would require each one.
  const required = type === 'radio' && isInsisted(field) ? markup` required` : null
  return [
    markup`<fieldset data-field="${field.id}"${describedBy(field, id)}>`,
    markup`  <legend>${nameOf(field)}${hint(field)}</legend>`,
    ...helpLines(field, id),
    ...options.flatMap(({ value, label }, index) => {
      const own = `${id}-${index + 1}`
      return [
        markup`  <div class="option">`,
        markup`    <input id="${own}" name="${field.id}" type="${type}" value="${value}"${required}>`,
        markup`    <label for="${own}">${label.trim() === '' ? value : label}</label>`,
        markup`  </div>`,
      ]
    }),
    markup`</fieldset>`,
  ]
}

function consent(field: ClientField, id: string): readonly Html[] {
  const required = isInsisted(field) ? markup` required` : null
  const described = describedBy(field, id)
  return [
    markup`<div class="field option" data-field="${field.id}">`,
    ...helpLines(field, id),
    markup`  <input id="${id}" name="${field.id}" type="checkbox" value="true"${described}${required}>`,
    markup`  <label for="${id}">${nameOf(field)}${hint(field)}</label>`,
    markup`</div>`,
  ]
}
