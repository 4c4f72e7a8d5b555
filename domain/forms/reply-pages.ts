import { html, trusted, type Html } from '../text/html.ts'
import { PROBLEMS_MAX } from '../limits/limits.ts'
import type { FailureCode, FieldErrors } from './result.ts'
import type { Language } from './language/definition.ts'
import { sayerOf, type Say, type Sentence } from './language/words.ts'
import { FORM_PAGE_PREFIX } from './page-path.ts'
import { parseUrl } from '../text/http.ts'
import { utf8 } from '../text/encoding.ts'

export { sayerOf }

/** The page after a saved submission, and after one that filled the bot trap: the two look the same. */
export function successPage(
  { title, message }: { readonly title: string; readonly message: string },
  back: WayBack | null,
  say: Say,
): string {
  return renderPage({
    title,
    heading: title,
    tone: 'success',
    language: say.language,
    content: [
      html`<p class="message" dir="auto">${message}</p>`,
      ...(back === null
        ? []
        : [html`<p><a class="go" href="${back.site}">${say(['backTo', { host: back.host }])}</a></p>`]),
    ],
  })
}

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

/** Headings by code: of what a form says in its language; in English of what happens before a form is known. */
const words: Readonly<
  Record<Failure['code'], { readonly heading: Sentence | string; readonly remedy: Remedy }>
> = {
  validation_error: { heading: ['headingAnswers'], remedy: 'correct' },
  password_required: { heading: ['headingPassword'], remedy: 'correct' },
  invalid_password: { heading: ['headingWrongPassword'], remedy: 'correct' },
  submission_limit_reached: { heading: ['headingLimit'], remedy: 'none' },
  body_too_large: { heading: ['headingTooLarge'], remedy: 'correct' },
  unsupported_media_type: { heading: 'This form cannot take what was sent', remedy: 'owner' },
  invalid_body: { heading: 'Your answers did not arrive', remedy: 'correct' },
  invalid_redirect: { heading: ['headingSetup'], remedy: 'owner' },
  form_not_found: { heading: 'This form is not available', remedy: 'owner' },
  hosted_form_required: { heading: ['headingHosted'], remedy: 'none' },
  internal_error: { heading: ['headingAgain'], remedy: 'correct' },
  unknown_outcome: { heading: 'Something went wrong', remedy: 'uncertain' },
  method_not_allowed: { heading: 'There is nothing to see here', remedy: 'none' },
}

/** The maximum number of problems of one kind: more would bury the first ones. */
const LISTED_MAX = 30

/** The page after a submission that was not saved, or may not have been. */
export function failurePage(failure: Failure, back: WayBack | null, say: Say): string {
  const { heading: said, remedy } = isOwnersMistake(failure) ? words.invalid_redirect : words[failure.code]
  const heading = say(said)
  return renderPage({
    title: say(['pageError', { heading }]),
    heading,
    tone: 'failure',
    language: say.language,
    content: [
      ...explanation(failure, say),
      ...hosted(failure.hostedUrl, say),
      ...advice(failure.isOfPage ? 'owner' : remedy, back, say),
    ],
  })
}

/**
 * Whether the only wrong keys are those that no visitor can see: control keys, and keys that the form does not have.
 */
function isOwnersMistake({ fieldErrors, fieldLabels }: Failure): boolean {
  return fieldErrors !== null && fieldLabels.size === 0
}

function explanation(failure: Failure, say: Say): readonly Html[] {
  const { code, error, fieldErrors, fieldLabels } = failure
  if (code === 'method_not_allowed') return [html`<p>This address takes submitted forms only.</p>`]
  if (fieldErrors === null) return [html`<p>${error}</p>`]
  const entries = [...fieldErrors]
  const ofForm = entries.filter(([id]) => fieldLabels.has(id))
  const others = entries.filter(([id]) => !fieldLabels.has(id))
  const left = PROBLEMS_MAX - Math.min(ofForm.length, LISTED_MAX)
  return [...ofFields(ofForm, fieldLabels, say), ...ofOtherKeys(others, Math.min(left, LISTED_MAX), say)]
}

type Problems = readonly (readonly [string, string])[]

function ofFields(problems: Problems, labels: ReadonlyMap<string, string>, say: Say): readonly Html[] {
  if (problems.length === 0) return []
  const count = problems.length
  return [
    html`<p>${say(count === 1 ? ['nothingSavedOne'] : ['nothingSaved', { count }])}</p>`,
    list(
      problems.map(([id, message]) => item(html`<strong dir="auto">${nameOf(id, labels)}</strong>`, message)),
      LISTED_MAX,
      say,
    ),
  ]
}

function ofOtherKeys(problems: Problems, listedMax: number, say: Say): readonly Html[] {
  if (problems.length === 0) return []
  return [
    html`<p>${say(['ownerMistake'])}</p>`,
    list(
      problems.map(([key, message]) => item(html`<strong><code>${key}</code></strong>`, message)),
      listedMax,
      say,
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

function list(items: readonly Html[], listedMax: number, say: Say): Html {
  const rest = items.length - listedMax
  return html`<ul class="problems">
    ${[...items.slice(0, listedMax), ...(rest > 0 ? [html`<li>${say(['andMore', { count: rest }])}</li>`] : [])]}
  </ul>`
}

/**
 * The link to the hosted form. Imports accept only web addresses; the check is repeated here, so that a definition from
 * elsewhere cannot turn this page into a trap.
 */
export function hosted(url: string | null, say: Say): readonly Html[] {
  const parsed = url === null ? null : parseUrl(url)
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol)) return []
  return [html`<p><a class="go" href="${parsed.href}">${say(['openFormAt', { host: parsed.host }])}</a></p>`]
}

/**
 * The advice at the end of the page. A link back would lose what the visitor typed, and a page without scripts cannot
 * go back by itself, so the text says to use the browser's Back button.
 */
function advice(remedy: Remedy, back: WayBack | null, say: Say): readonly Html[] {
  const link = (key: 'backTo' | 'goTo'): readonly Html[] =>
    back === null
      ? []
      : [html`<p class="soft"><a href="${back.site}">${say([key, { host: back.host }])}</a></p>`]
  switch (remedy) {
    case 'correct':
      return [
        html`<h2>${say(['howToGoOn'])}</h2>`,
        html`<p>${say(['goBack'])}</p>`,
        ...(back === null
          ? []
          : [
              html`<p class="soft">
                <a href="${back.page}">${say(['startAgain', { host: back.host }])}</a>.
                ${say(['startAgainLoses'])}
              </p>`,
            ]),
      ]
    case 'owner':
      return [
        html`<p>${say(back === null ? ['tellOwner'] : ['tellOwnerAt', { host: back.host }])}</p>`,
        ...link('goTo'),
      ]
    case 'uncertain':
      return [
        html`<p>
          ${`Please ask the owner of ${back?.host ?? 'the site'} whether your answers arrived before you send them again.`}
        </p>`,
        ...link('goTo'),
      ]
    case 'none':
      return link('backTo')
  }
}

/** A page for a visitor whose browser posted a form. */
export interface Page {
  /** The title of the window and in the history. */
  readonly title: string
  readonly heading: string
  readonly tone: 'success' | 'failure'
  readonly language: Language
  readonly content: readonly Html[]
}

/**
 * The document of a page. It has no script and loads nothing. The style element is made apart, because the policy names
 * the hash of every character between its tags.
 */
export function renderPage({ title, heading, tone, language, content }: Page): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main class="${tone}">
          ${icons[tone]}
          <h1 dir="auto">${heading}</h1>
          ${content}
        </main>
      </body>
    </html> `.markup
}

const icons: Readonly<Record<Page['tone'], Html>> = {
  success: html`<svg aria-hidden="true" viewBox="0 0 24 24"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>`,
  failure: html`<svg aria-hidden="true" viewBox="0 0 24 24"><path d="M12 6v8m0 3.5v.5" /></svg>`,
}

let policy: Promise<string> | null = null

/**
 * The headers of a page. The policy allows its one style sheet and nothing else: no script, no image, no form, no
 * embedding in another page, and no base address for relative links.
 */
export async function pageHeaders(): Promise<Readonly<Record<string, string>>> {
  policy ??= policyOf(STYLE, ["form-action 'none'"])
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': await policy,
    'referrer-policy': 'no-referrer',
  }
}

/**
 * A content security policy that allows one style sheet, and what is added to it. No other page may frame the page.
 * @param style the text between the tags of the style element
 * @param more further directives
 */
export async function policyOf(style: string, more: readonly string[]): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(style)))
  const hash = btoa(String.fromCharCode(...digest))
  const fixed = ["default-src 'none'", `style-src 'sha256-${hash}'`, "base-uri 'none'"]
  return [...fixed, ...more, "frame-ancestors 'none'"].join('; ')
}

/** The page from which the visitor came, for links back to it. */
interface WayBack {
  /**
   * The URL of the page that posted the form, as far as the browser reveals it: usually only the origin when the form
   * is sent to another site.
   */
  readonly page: string
  /** The start page of the same site; of a form's own page, which is of no site, the page itself. */
  readonly site: string
  /** The site's name as the address bar shows it. */
  readonly host: string
}

const URL_MAX_LENGTH = 2_000

/**
 * The page that posted a form, from the `Referer` and `Origin` headers of the request. Null when they contain no URL that is safe to
 * link to: an http(s) URL without userinfo. A `Referer` of a site other than the `Origin` is ignored.
 */
export function wayBack({ headers, url }: Pick<Request, 'headers' | 'url'>): WayBack | null {
  const origin = webUrl(headers.get('origin'))
  const referer = webUrl(headers.get('referer'))
  const page = origin === null || referer?.origin === origin.origin ? referer : origin
  if (page === null) return null
  page.hash = ''
  const isOwn = page.pathname.startsWith(FORM_PAGE_PREFIX) && page.origin === parseUrl(url)?.origin
  return { page: page.href, site: isOwn ? page.href : `${page.origin}/`, host: page.host }
}

function webUrl(text: string | null): URL | null {
  const url = text === null || text.length > URL_MAX_LENGTH ? null : parseUrl(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  return url.username === '' && url.password === '' ? url : null
}

/**
 * The style sheet of the pages. Each text colour has a contrast of at least 4.5 to its background (WCAG 2.2, 1.4.3).
 */
export const STYLE = `
:root { color-scheme: light dark; --page: #f3f5f8; --card: #fff; --text: #1c2430; --soft: #4b5768; --line: #d9dfe7; --good: #0b6e3b; --bad: #a3200d; --link: #0a4fb3 }
@media (prefers-color-scheme: dark) {
  :root { --page: #10141a; --card: #1a2029; --text: #eceff4; --soft: #b3bdcb; --line: #333d4b; --good: #6fd39b; --bad: #ff9d8c; --link: #8ab8ff }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--text); font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100% }
main { width: 100%; max-width: 34rem; padding: clamp(1.25rem, 5vw, 2.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; overflow-wrap: anywhere }
svg { display: block; width: 3rem; height: 3rem; padding: .5rem; border: 2px solid; border-radius: 50%; fill: none; stroke: currentcolor; stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }
.success svg { color: var(--good) }
.failure svg { color: var(--bad) }
h1 { margin: 1rem 0 .5rem; font-size: clamp(1.4rem, 5vw, 1.75rem); line-height: 1.25 }
h2 { margin: 1.75rem 0 .25rem; font-size: 1.0625rem }
p { margin: .5rem 0 }
.message { white-space: pre-line }
.problems { margin: 1rem 0; padding: 0; list-style: none; border-top: 1px solid var(--line) }
.problems li { padding: .75rem 0; border-bottom: 1px solid var(--line) }
.problems strong { display: block }
.problems span { color: var(--bad) }
.soft { color: var(--soft); font-size: .9375rem }
a { color: var(--link); text-underline-offset: .15em }
a.go { display: inline-block; padding: .5rem 0 }
a:focus-visible { outline: 3px solid; outline-offset: 3px; border-radius: .2rem }
code { font-size: .9em }
`
