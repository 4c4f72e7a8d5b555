import { html as markup, type Html } from '../../text/html.ts'
// Under another name the formatter leaves these templates as they are: people read and paste what they make.
import { NUMBER_PATTERN } from '../definition/answers/readings.ts'
import type { ClientField } from '../definition/compiled/client-definition.ts'
import type { Choice } from '../definition/definition.ts'

/**
 * The lines of markup of one field. The element with `data-field` is the one that the form client shows and hides, and
 * in which it places an error. Each label is around its control, and hints are in it: there is no `id`, because a page may
 * show several forms, or one twice.
 */
export function fieldLines(field: ClientField): readonly Html[] {
  switch (field.type) {
    case 'heading':
      return [markup`<h2 data-field="${field.id}">${nameOf(field)}</h2>`]
    case 'paragraph':
      return [markup`<p data-field="${field.id}">${nameOf(field)}</p>`]
    case 'single_choice':
      return group(field, 'radio', field.options ?? [])
    case 'boolean':
      // Two buttons and no checkbox, because an unticked checkbox cannot tell "no" from no answer.
      return group(field, 'radio', yesAndNo)
    case 'multiple_choice':
      return group(field, 'checkbox', field.options ?? [])
    case 'consent':
      return consent(field)
    case 'long_text':
      return labelled(
        field,
        markup`<textarea name="${field.id}"${lengths(field)}${common(field)}></textarea>`,
      )
    case 'short_text':
    case 'email':
    case 'phone':
      return labelled(field, input(field, inputTypes[field.type], lengths(field)))
    case 'number':
      // A control of the type number silently loses a comma. Its bounds are left to the service and the form client.
      return labelled(field, input(field, 'text', number))
    case 'date':
      return labelled(field, input(field, 'date', bounds(field)))
  }
}

const inputTypes = { short_text: 'text', email: 'email', phone: 'tel' } as const

const number = markup` inputmode="decimal" pattern="${NUMBER_PATTERN}" title="A number, such as 1.5"`

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

/** What is said beside the name: that an answer may be left out, and the field's own help. */
function hints(field: ClientField): Html {
  const { required, helpText } = field
  const may = isInsisted(field)
    ? null
    : markup` <span class="hint">${required === true ? '(if it applies)' : '(optional)'}</span>`
  const help = helpText === undefined ? null : markup` <span class="help">${helpText}</span>`
  return markup`${may}${help}`
}

/** An attribute; nothing when it has no value. */
function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : markup` ${name}="${value}"`
}

/** The attributes of every control that is typed into. A placeholder has no line breaks (HTML, `placeholder`). */
function common(field: ClientField): Html {
  const { placeholder, autocomplete } = field
  const shown = attribute('placeholder', placeholder?.replaceAll(/\s+/g, ' '))
  const required = isInsisted(field) ? markup` required` : null
  return markup`${shown}${attribute('autocomplete', autocomplete)}${required}`
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

function input(field: ClientField, type: string, more: Html): Html {
  return markup`<input name="${field.id}" type="${type}"${more}${common(field)}>`
}

function labelled(field: ClientField, control: Html): readonly Html[] {
  return [
    markup`<div class="field" data-field="${field.id}">`,
    markup`  <label>`,
    markup`    ${nameOf(field)}${hints(field)}`,
    markup`    ${control}`,
    markup`  </label>`,
    markup`</div>`,
  ]
}

function group(field: ClientField, type: 'radio' | 'checkbox', options: readonly Choice[]): readonly Html[] {
  // Of check boxes the browser would require each one.
  const required = type === 'radio' && isInsisted(field) ? markup` required` : null
  return [
    markup`<fieldset data-field="${field.id}">`,
    markup`  <legend>${nameOf(field)}${hints(field)}</legend>`,
    ...options.map(({ value, label }) => {
      const control = markup`<input name="${field.id}" type="${type}" value="${value}"${required}>`
      return markup`  <label class="option">${control} ${label.trim() === '' ? value : label}</label>`
    }),
    markup`</fieldset>`,
  ]
}

function consent(field: ClientField): readonly Html[] {
  const required = isInsisted(field) ? markup` required` : null
  const control = markup`<input name="${field.id}" type="checkbox" value="true"${required}>`
  return [
    markup`<div class="field" data-field="${field.id}">`,
    markup`  <label class="option">${control} ${nameOf(field)}${hints(field)}</label>`,
    markup`</div>`,
  ]
}
