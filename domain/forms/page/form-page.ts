import { html as markup, type Html } from '../../text/html.ts'
// Under another name the formatter leaves these templates as they are: people read and paste what they make.
import type { ClientForm } from '../definition/compiled/client-definition.ts'
import { PASSWORD_MAX_LENGTH } from '../definition/limits.ts'
import { fieldLines } from './form-fields.ts'

export interface FormPageOptions {
  /** The origin of the service, such as `https://api.example.com`. */
  readonly service: string
  /** Whether to add the tag of the form client. The form works without it too. */
  readonly hasClient: boolean
}

/** A complete, accessible page with the form, as text. It works in any browser, without scripts too. */
export function formPage(form: ClientForm, options: FormPageOptions): string {
  const title = form.name.trim() === '' ? form.formId : form.name
  return textOf([
    markup`<!doctype html>`,
    markup`<html lang="en">`,
    markup`  <head>`,
    markup`    <meta charset="utf-8">`,
    markup`    <meta name="viewport" content="width=device-width, initial-scale=1">`,
    markup`    <title>${title.replaceAll(/\s+/g, ' ').trim()}</title>`,
    markup`    <style>`,
    ...indented(style, 6),
    markup`    </style>`,
    markup`  </head>`,
    markup`  <body>`,
    markup`    <main>`,
    markup`      <h1>${title}</h1>`,
    ...indented(formLines(form, options), 6),
    markup`    </main>`,
    markup`  </body>`,
    markup`</html>`,
  ])
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
  { service, hasClient }: FormPageOptions,
): readonly Html[] {
  const action = new URL(`/api/forms/${formId}/submissions`, service).href
  const script = new URL('/form-client.js?attach', service).href
  return [
    // The encoding of the page that it is pasted into is not known.
    markup`<form method="post" action="${action}" accept-charset="utf-8">`,
    markup`  <!-- Only bots fill this in. Keep it hidden and empty. -->`,
    markup`  <div hidden><label>Leave this empty <input name="_gotcha" autocomplete="off"></label></div>`,
    ...indented(fields.flatMap(fieldLines), 2),
    ...(requiresPassword ? indented(password, 2) : []),
    markup`  <div data-form-summary></div>`,
    markup`  <button type="submit">Send</button>`,
    markup`</form>`,
    ...(hasClient ? [markup`<script type="module" src="${script}"></script>`] : []),
  ]
}

const password = [
  markup`<div class="field" data-field="_password">`,
  markup`  <label>`,
  markup`    Password`,
  markup`    <input name="_password" type="password" required maxlength="${PASSWORD_MAX_LENGTH}" autocomplete="off">`,
  markup`  </label>`,
  markup`</div>`,
]

/** Enough to be readable on a phone, in light and dark. A site replaces it by its own. */
const style = [
  markup`:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }`,
  markup`body { margin: 0; padding: 1rem; }`,
  markup`main { max-width: 36rem; margin: 0 auto; overflow-wrap: anywhere; }`,
  markup`.field, fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }`,
  markup`label, legend { padding: 0; font-weight: 600; }`,
  markup`label { display: block; }`,
  markup`.option { padding: 0.25rem 0; font-weight: 400; }`,
  markup`.hint, .help { font-weight: 400; }`,
  markup`.help { display: block; }`,
  markup`input:not([type=radio], [type=checkbox]), textarea {`,
  markup`  box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit;`,
  markup`}`,
  markup`textarea { min-height: 7rem; }`,
  markup`button { padding: 0.6rem 1.5rem; font: inherit; }`,
  markup`.form-client-error, .form-client-summary { color: light-dark(#a3121f, #ff9c9c); }`,
]
