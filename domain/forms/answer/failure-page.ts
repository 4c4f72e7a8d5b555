import { PROBLEMS_MAX } from '../../bounds/echo.ts'
import { html, type Html } from '../../text/html.ts'
import type { FailureCode, FieldErrors } from './result.ts'
import { renderPage } from './page-layout.ts'
import type { WayBack } from './way-back.ts'
import { parseUrl } from '../../text/http.ts'

/** The parts of a failure that the page shows. */
export interface Failure {
  /** `unknown_outcome`: the failure came so late that the submission may have been saved. */
  readonly code: FailureCode | 'unknown_outcome'
  /** A sentence for the visitor. */
  readonly error: string
  readonly fieldErrors: FieldErrors | null
  readonly fieldLabels: ReadonlyMap<string, string>
  /** Whether only the page that sent the form can be mended, where the code alone does not say so. */
  readonly isOfPage: boolean
  readonly hostedUrl: string | null
}

/**
 * Who can fix the failure: the visitor or the site's owner. `uncertain`: nobody knows whether the submission was saved.
 */
type Remedy = 'correct' | 'owner' | 'uncertain' | 'none'

const words: Readonly<Record<Failure['code'], { readonly heading: string; readonly remedy: Remedy }>> = {
  validation_error: { heading: 'Please check your answers', remedy: 'correct' },
  password_required: { heading: 'This form needs a password', remedy: 'correct' },
  invalid_password: { heading: 'That password is not right', remedy: 'correct' },
  submission_limit_reached: { heading: 'You have sent this form before', remedy: 'none' },
  body_too_large: { heading: 'That is more than this form can take', remedy: 'correct' },
  unsupported_media_type: { heading: 'This form cannot take what was sent', remedy: 'owner' },
  invalid_body: { heading: 'Your answers did not arrive', remedy: 'correct' },
  invalid_redirect: { heading: 'This form is not set up correctly', remedy: 'owner' },
  form_not_found: { heading: 'This form is not available', remedy: 'owner' },
  hosted_form_required: { heading: 'This form is completed on another page', remedy: 'none' },
  internal_error: { heading: 'Please send the form again', remedy: 'correct' },
  unknown_outcome: { heading: 'Something went wrong', remedy: 'uncertain' },
  method_not_allowed: { heading: 'There is nothing to see here', remedy: 'none' },
}

/** The maximum number of problems of one kind: more would bury the first ones. */
const LISTED_MAX = 30

/** The page after a submission that was not saved, or may not have been. */
export function failurePage(failure: Failure, back: WayBack | null): string {
  const { heading, remedy } = isOwnersMistake(failure) ? words.invalid_redirect : words[failure.code]
  return renderPage({
    title: `Error: ${heading}`,
    heading,
    tone: 'failure',
    content: [
      ...explanation(failure),
      ...hosted(failure.hostedUrl),
      ...advice(failure.isOfPage ? 'owner' : remedy, back),
    ],
  })
}

/**
 * Whether the only wrong keys are those that no visitor can see: control keys, and keys that the form does not have.
 */
function isOwnersMistake({ fieldErrors, fieldLabels }: Failure): boolean {
  return fieldErrors !== null && fieldLabels.size === 0
}

function explanation(failure: Failure): readonly Html[] {
  const { code, error, fieldErrors, fieldLabels } = failure
  if (code === 'method_not_allowed') return [html`<p>This address takes submitted forms only.</p>`]
  if (fieldErrors === null) return [html`<p>${error}</p>`]
  const entries = [...fieldErrors]
  const ofForm = entries.filter(([id]) => fieldLabels.has(id))
  const others = entries.filter(([id]) => !fieldLabels.has(id))
  const left = PROBLEMS_MAX - Math.min(ofForm.length, LISTED_MAX)
  return [...ofFields(ofForm, fieldLabels), ...ofOtherKeys(others, Math.min(left, LISTED_MAX))]
}

type Problems = readonly (readonly [string, string])[]

function ofFields(problems: Problems, labels: ReadonlyMap<string, string>): readonly Html[] {
  if (problems.length === 0) return []
  const count = problems.length === 1 ? 'One answer needs' : `${problems.length} answers need`
  return [
    html`<p>Nothing was saved yet. ${count} another look:</p>`,
    list(
      problems.map(([id, message]) => item(html`<strong dir="auto">${nameOf(id, labels)}</strong>`, message)),
      LISTED_MAX,
    ),
  ]
}

function ofOtherKeys(problems: Problems, listedMax: number): readonly Html[] {
  if (problems.length === 0) return []
  return [
    html`<p>
      The form sends something that this service does not take. You cannot correct that, its owner can:
    </p>`,
    list(
      problems.map(([key, message]) => item(html`<strong><code>${key}</code></strong>`, message)),
      listedMax,
    ),
  ]
}

function item(name: Html, message: string): Html {
  return html`<li>${name} <span>${message}</span></li>`
}

function nameOf(id: string, labels: ReadonlyMap<string, string>): string {
  const label = labels.get(id) ?? ''
  return label.trim() === '' ? id : label
}

function list(items: readonly Html[], listedMax: number): Html {
  const rest = items.length - listedMax
  return html`<ul class="problems">
    ${[...items.slice(0, listedMax), ...(rest > 0 ? [html`<li>and ${rest} more</li>`] : [])]}
  </ul>`
}

/**
 * The link to the hosted form. Imports accept only web addresses; the check is repeated here, so that a definition from
 * elsewhere cannot turn this page into a trap.
 */
function hosted(url: string | null): readonly Html[] {
  const parsed = url === null ? null : parseUrl(url)
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol)) return []
  return [html`<p><a class="go" href="${parsed.href}">Open the form at ${parsed.host}</a></p>`]
}

/**
 * The advice at the end of the page. A link back would lose what the visitor typed, and a page without scripts cannot
 * go back by itself, so the text says to use the browser's Back button.
 */
function advice(remedy: Remedy, back: WayBack | null): readonly Html[] {
  const { host, page, site } = back ?? { host: null, page: '', site: '' }
  const link = (href: string, text: string): readonly Html[] =>
    host === null ? [] : [html`<p class="soft"><a href="${href}">${text} ${host}</a></p>`]
  switch (remedy) {
    case 'correct':
      return [
        html`<h2>How to go on</h2>`,
        html`<p>
          Go back with your browser’s Back button or gesture: your browser keeps what you typed. Correct it
          there and send the form again.
        </p>`,
        ...(host === null
          ? []
          : [
              html`<p class="soft">
                Or <a href="${page}">start again at ${host}</a>. What you typed is lost that way.
              </p>`,
            ]),
      ]
    case 'owner':
      return [
        html`<p>
          What you typed is still in the form: your browser’s Back button brings you there. Please tell the
          owner of ${host ?? 'the site'}, or reach them another way.
        </p>`,
        ...link(site, 'Go to'),
      ]
    case 'uncertain':
      return [
        html`<p>
          Please ask the owner of ${host ?? 'the site'} whether your answers arrived before you send them
          again.
        </p>`,
        ...link(site, 'Go to'),
      ]
    case 'none':
      return link(site, 'Back to')
  }
}
