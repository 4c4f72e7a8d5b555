import { html as markup, type Html } from '../text/html.ts'
import type { ClientForm, ClientField } from './language/client-form.ts'
import { PASSWORD_MAX_LENGTH, type Choice } from './language/definition.ts'
import { NUMBER_PATTERN } from './language/answers.ts'
import { sayer, type Say } from './language/words.ts'
import { sentences } from './language/words/en.ts'

// Under another name the formatter leaves these templates as they are: people read and paste what they make.

interface FormPageOptions {
  /**
   * The origin of the service, such as `https://api.example.com`; empty: the service itself serves the page, so that its
   * addresses need no origin.
   */
  readonly service: string
  /** Whether to add the tag of the form client. The form works without it too. */
  readonly hasClient: boolean
  /** The name of the organization, to stand above the form; left out: none does. */
  readonly organization?: string
  /** The password, where the visitor has given it already; left out: the form asks for it, where it has one. */
  readonly password?: string
  /** Says the words of the page; left out: in English. */
  readonly say?: Say
}

const sayEnglish = sayer({}, sentences)

/** A complete, accessible page with the form, as text. It works in any browser, without scripts too. */
export function formPage(form: ClientForm, options: FormPageOptions): string {
  return pageAround(form, options, formLines(form, options))
}

/**
 * The page that asks for the password of a form and shows nothing of its fields, as text.
 * @param action the path to which the password is posted
 * @param problem what was wrong with the password that was given before; null: none was given
 */
export function passwordPage(
  form: Pick<ClientForm, 'formId' | 'name'>,
  options: Pick<FormPageOptions, 'organization' | 'say'>,
  { action, problem }: { readonly action: string; readonly problem: string | null },
): string {
  const { say = sayEnglish } = options
  return pageAround(form, options, [
    markup`<form method="post" action="${action}" accept-charset="utf-8">`,
    ...(problem === null
      ? [markup`  <p>${say(['passwordRequired'])}</p>`]
      : [markup`  <p class="form-client-error" role="alert">${problem}</p>`]),
    ...indented(password(say), 2),
    markup`  <button type="submit">${say(['continue'])}</button>`,
    markup`</form>`,
  ])
}

function pageAround(
  form: Pick<ClientForm, 'formId' | 'name'>,
  { organization, say = sayEnglish }: Pick<FormPageOptions, 'organization' | 'say'>,
  lines: readonly Html[],
): string {
  const title = form.name.trim() === '' ? form.formId : form.name
  const titles = organization === undefined ? [title] : [title, organization]
  return textOf([
    markup`<!doctype html>`,
    markup`<html lang="${say.language}">`,
    markup`  <head>`,
    markup`    <meta charset="utf-8">`,
    markup`    <meta name="viewport" content="width=device-width, initial-scale=1">`,
    markup`    <title>${titles.join(' – ').replaceAll(/\s+/g, ' ').trim()}</title>`,
    markup`    <style>`,
    ...indented(style, 6),
    markup`    </style>`,
    markup`  </head>`,
    markup`  <body>`,
    markup`    <main>`,
    ...(organization === undefined
      ? []
      : [markup`      <p class="organization" dir="auto">${organization}</p>`]),
    markup`      <h1>${title}</h1>`,
    ...indented(lines, 6),
    markup`    </main>`,
    markup`  </body>`,
    markup`</html>`,
  ])
}

/** The text between the tags of the style element of these pages, whose hash a content security policy names. */
export function formPageStyle(): string {
  return `\n${textOf(indented(style, 6))}    `
}

/** The form alone, as text, for a page that exists already. */
export function formSnippet(form: ClientForm, options: FormPageOptions): string {
  return textOf(formLines(form, options))
}

/** The style sheet of the page, as text. */
export function formStyle(): string {
  return textOf(style)
}

function textOf(lines: readonly Html[]): string {
  return lines.map((line) => `${line.markup}\n`).join('')
}

function indented(lines: readonly Html[], spaces: number): readonly Html[] {
  return lines.map((line) => markup`${' '.repeat(spaces)}${line}`)
}

function formLines(
  { formId, requiresPassword, fields }: ClientForm,
  { service, hasClient, password: given, say = sayEnglish }: FormPageOptions,
): readonly Html[] {
  const action = `${service}/api/forms/${formId}/submissions`
  const script = `${service}/form-client.js?attach`
  const known =
    given === undefined ? password(say) : [markup`<input name="_password" type="hidden" value="${given}">`]
  return [
    // The encoding of the page that it is pasted into is not known.
    markup`<form method="post" action="${action}" accept-charset="utf-8">`,
    markup`  <!-- Only bots fill this in. Keep it hidden and empty. -->`,
    markup`  <div hidden><label>Leave this empty <input name="_gotcha" autocomplete="off"></label></div>`,
    ...indented(
      fields.flatMap((field) => fieldLines(field, say)),
      2,
    ),
    ...(requiresPassword ? indented(known, 2) : []),
    markup`  <div data-form-summary></div>`,
    markup`  <button type="submit">${say(['send'])}</button>`,
    markup`</form>`,
    ...(hasClient ? [markup`<script type="module" src="${script}"></script>`] : []),
  ]
}

const password = (say: Say): readonly Html[] => [
  markup`<div class="field" data-field="_password">`,
  markup`  <label>`,
  markup`    ${say(['password'])}`,
  markup`    <input name="_password" type="password" required maxlength="${PASSWORD_MAX_LENGTH}" autocomplete="off">`,
  markup`  </label>`,
  markup`</div>`,
]

/**
 * Enough to be readable on a phone, in light and dark. A site replaces it by its own. Each text has a contrast of at
 * least 4.5 to its background, and each border of a control one of 3 (WCAG 2.2, 1.4.3 and 1.4.11).
 */
const style = [
  markup`:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }`,
  markup`body { margin: 0; padding: 1rem; background: light-dark(#f3f5f8, #10141a); color: light-dark(#1c2430, #eceff4); }`,
  markup`main { max-width: 36rem; margin: 0 auto; overflow-wrap: anywhere; }`,
  markup`h1 { margin: 0 0 1.25rem; line-height: 1.25; }`,
  markup`.organization { margin: 0; color: light-dark(#4b5768, #b3bdcb); }`,
  markup`.field, fieldset { min-width: 0; margin: 0 0 1.25rem; padding: 0; border: 0; }`,
  markup`label, legend { padding: 0; font-weight: 600; }`,
  markup`label { display: block; }`,
  markup`.option { padding: 0.25rem 0; font-weight: 400; }`,
  markup`.hint, .help { color: light-dark(#4b5768, #b3bdcb); font-weight: 400; }`,
  markup`.help { display: block; }`,
  markup`input, button { accent-color: light-dark(#0a4fb3, #8ab8ff); }`,
  markup`input:not([type=radio], [type=checkbox]), textarea {`,
  markup`  box-sizing: border-box; width: 100%; margin-top: 0.25rem; padding: 0.6rem 0.75rem; font: inherit; font-weight: 400;`,
  markup`  border: 1px solid light-dark(#6b7687, #8592a5); border-radius: 0.5rem;`,
  markup`  background: light-dark(#fff, #1a2029); color: inherit;`,
  markup`}`,
  markup`[aria-invalid=true] { outline: 2px solid light-dark(#a3121f, #ff9c9c); }`,
  markup`textarea { min-height: 7rem; }`,
  markup`button {`,
  markup`  padding: 0.75rem 1.75rem; font: inherit; font-weight: 600; cursor: pointer;`,
  // A browser without light-dark() would show it grey and without a border, as if it were disabled.
  markup`  border: 0; border-radius: 0.5rem; background: #0a4fb3; color: #fff;`,
  markup`  background: light-dark(#0a4fb3, #8ab8ff); color: light-dark(#fff, #10141a);`,
  markup`}`,
  markup`:is(input, textarea, button):focus-visible { outline: 3px solid light-dark(#0a4fb3, #8ab8ff); outline-offset: 2px; }`,
  markup`.form-client-error, .form-client-summary { color: light-dark(#a3121f, #ff9c9c); }`,
  markup`.form-client-receipt {`,
  markup`  padding: 1.25rem 1.5rem; border: 1px solid light-dark(#c8d0db, #3a4553); border-radius: 1rem;`,
  markup`  background: light-dark(#fff, #1a2029);`,
  markup`}`,
  markup`.form-client-receipt > * { margin: 0 0 0.5rem; }`,
]

// Under another name the formatter leaves these templates as they are: people read and paste what they make.

/**
 * The lines of markup of one field. The element with `data-field` is the one that the form client shows and hides, and
 * in which it places an error. Each label is around its control, and hints are in it: there is no `id`, because a page may
 * show several forms, or one twice.
 */
function fieldLines(field: ClientField, say: Say): readonly Html[] {
  switch (field.type) {
    case 'heading':
      return [markup`<h2 data-field="${field.id}">${nameOf(field)}</h2>`]
    case 'paragraph':
      return [markup`<p data-field="${field.id}">${nameOf(field)}</p>`]
    case 'single_choice':
      return group(field, 'radio', field.options ?? [], say)
    case 'boolean':
      // Two buttons and no checkbox, because an unticked checkbox cannot tell "no" from no answer.
      return group(field, 'radio', yesAndNo(say), say)
    case 'multiple_choice':
      return group(field, 'checkbox', field.options ?? [], say)
    case 'consent':
      return consent(field, say)
    case 'long_text':
      return labelled(
        field,
        markup`<textarea name="${field.id}"${lengths(field)}${common(field)}></textarea>`,
        say,
      )
    case 'short_text':
    case 'email':
    case 'phone':
      return labelled(field, input(field, inputTypes[field.type], lengths(field)), say)
    case 'number':
      // A control of the type number silently loses a comma. Its bounds are left to the service.
      return labelled(field, input(field, 'text', number(say)), say)
    case 'date':
      return labelled(field, input(field, 'date', bounds(field)), say)
  }
}

const inputTypes = { short_text: 'text', email: 'email', phone: 'tel' } as const

const number = (say: Say) =>
  markup` inputmode="decimal" pattern="${NUMBER_PATTERN}" title="${say(['numberHint'])}"`

const yesAndNo = (say: Say): readonly Choice[] => [
  { value: 'true', label: say(['yes']) },
  { value: 'false', label: say(['no']) },
]

/** What names the field for a visitor. Without a name, a control cannot be understood with a screen reader. */
function nameOf({ id, label }: ClientField): string {
  return label.trim() === '' ? id : label
}

/** Without a script a conditional field is always there, so the browser must not insist on it. The service does. */
function isInsisted({ required, visibleWhen }: ClientField): boolean {
  return required === true && visibleWhen === undefined
}

/**
 * What is said beside the name: that an answer may be left out, and the field's own help. Without a script nothing tells
 * whether a conditional question applies; the form client tells it, and takes away what has `data-undecided`.
 */
function hints(field: ClientField, say: Say): Html {
  const { required, helpText } = field
  const may = isInsisted(field)
    ? null
    : required === true
      ? markup` <span class="hint" data-undecided>${say(['ifItApplies'])}</span>`
      : markup` <span class="hint">${say(['optional'])}</span>`
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

function labelled(field: ClientField, control: Html, say: Say): readonly Html[] {
  return [
    markup`<div class="field" data-field="${field.id}">`,
    markup`  <label>`,
    markup`    ${nameOf(field)}${hints(field, say)}`,
    markup`    ${control}`,
    markup`  </label>`,
    markup`</div>`,
  ]
}

function group(
  field: ClientField,
  type: 'radio' | 'checkbox',
  options: readonly Choice[],
  say: Say,
): readonly Html[] {
  // Of check boxes the browser would require each one.
  const required = type === 'radio' && isInsisted(field) ? markup` required` : null
  return [
    markup`<fieldset data-field="${field.id}">`,
    markup`  <legend>${nameOf(field)}${hints(field, say)}</legend>`,
    ...options.map(({ value, label }) => {
      const control = markup`<input name="${field.id}" type="${type}" value="${value}"${required}>`
      return markup`  <label class="option">${control} ${label.trim() === '' ? value : label}</label>`
    }),
    markup`</fieldset>`,
  ]
}

function consent(field: ClientField, say: Say): readonly Html[] {
  const required = isInsisted(field) ? markup` required` : null
  const control = markup`<input name="${field.id}" type="checkbox" value="true"${required}>`
  return [
    markup`<div class="field" data-field="${field.id}">`,
    markup`  <label class="option">${control} ${nameOf(field)}${hints(field, say)}</label>`,
    markup`</div>`,
  ]
}
