import {
  prepareForm,
  viewForm,
  showReceipt,
  type PublishedForm,
  type FormView,
  type Receipt,
  actionOf,
} from './form-view.ts'
import { clientSentences } from '../../../domain/forms/language/words/client.ts'
import type { ClientForm } from '../../../domain/forms/language/client-form.ts'
import { deliveryAddress, withoutFormatCharacters } from '../../../domain/text/typed-text.ts'

export interface Attached {
  /** Applies the rules again. Only needed after a script of the site has changed values. */
  update(): void
  /**
   * Restores the form to its original state, so that the browser handles it. The answer to a submission that is being
   * sent is then ignored.
   */
  detach(): void
}

/** What is attached to each form. */
const attachments = new WeakMap<HTMLFormElement, Attached>()

/**
 * Attaches a form whose definition is fetched from the service that its `action` names. When the definition cannot be
 * fetched, the form is attached without its rules: all fields stay visible, and the service still checks the answers.
 * @throws Error when the form is not sent to a submission endpoint
 */
export async function attachForm(form: HTMLFormElement, options: AttachOptions = {}): Promise<Attached> {
  const address = addressOf(actionOf(form))
  if (address === null) throw new Error('The action of the form is not a submission endpoint.')
  const definition = await loadForm(address).catch((cause: unknown) => {
    console.warn(cause)
    return { fields: [] }
  })
  return attach(form, definition, options)
}

/** Attaches every form of the page that is sent to a submission endpoint of the service. */
export async function attachAll(service: string, options: AttachOptions = {}): Promise<readonly Attached[]> {
  const { origin } = new URL(service)
  const forms = [...document.querySelectorAll('form')].filter(
    (form) => addressOf(actionOf(form))?.service === origin,
  )
  return Promise.all(forms.map((form) => attachForm(form, options)))
}

/**
 * Makes a form show and hide its fields as the visitor types, and sends it without leaving the page. The form must also
 * work without this script: it needs `action` and `method="post"`, field ids as names, and an empty `_gotcha`. A form
 * that is attached already is detached first.
 */
export function attach(
  form: HTMLFormElement,
  definition: PublishedForm,
  options: AttachOptions = {},
): Attached {
  if (options.signal?.aborted === true) return { update: () => undefined, detach: () => undefined }
  attachments.get(form)?.detach()
  const listening = new AbortController()
  const { signal } = listening
  const messages = { ...clientSentences, ...definition.words, ...options.messages }
  const handlers = handle(form, viewForm(form, definition), { ...options, messages }, signal)
  const detach = (): void => {
    if (signal.aborted) return
    listening.abort()
    handlers.release()
    attachments.delete(form)
  }
  const attached = { update: handlers.update, detach }
  attachments.set(form, attached)
  handlers.update()
  listen(form, handlers, signal)
  options.signal?.addEventListener('abort', detach, { signal })
  return attached
}

/**
 * The ids of the fields that are shown, for sites that render a form themselves.
 * @param answers by field id, as they would be sent in JSON
 */
export function visibleIds(
  form: PublishedForm,
  answers: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  return prepareForm(form).visible(new Map(Object.entries(answers)))
}

function listen(
  form: HTMLFormElement,
  { submitted, edited, reset, shown }: Handlers,
  signal: AbortSignal,
): void {
  // Controls may be outside their form, so the listeners are on the root and not on the form.
  const root = Node.prototype.getRootNode.call(form)
  root.addEventListener('input', edited, { signal })
  root.addEventListener('change', edited, { signal })
  EventTarget.prototype.addEventListener.call(form, 'submit', submitted, { signal })
  // The values change only after the reset event, hence the timeout.
  EventTarget.prototype.addEventListener.call(form, 'reset', () => setTimeout(reset), { signal })
  addEventListener('pageshow', shown, { signal })
}

export interface AttachOptions {
  /**
   * Called once for a saved submission. When it returns false, the client neither shows a message nor leaves the page.
   */
  readonly onSaved?: (receipt: Receipt) => unknown
  /**
   * Whether to go to the receipt's `redirectUrl`, which the service returns for a valid `_redirect`. Default: false.
   */
  readonly followRedirect?: boolean
  /** Texts that replace the form's own, which are English where the form sets no language. */
  readonly messages?: Partial<Messages>
  /** How long to wait for a response, in ms. Default: 30,000. */
  readonly timeoutMs?: number
  /** Detaches the form when it is aborted, as when a component is removed from its page. */
  readonly signal?: AbortSignal
}

/** The client's own texts. A site in another language can replace them. */
export interface Messages {
  readonly sending: string
  /** Shown above a list of field errors. */
  readonly checkAnswers: string
  /** Shown when the connection failed or took too long, so that nobody knows whether the answers arrived. */
  readonly unreachable: string
  /** Shown when the response is neither a receipt nor a failure of the service. */
  readonly unreadable: string
  /** Shown above what only the owner of the page can mend: it sends what the service does not take. */
  readonly ownerMistake: string
  /** Shown at a control with a file. */
  readonly noFiles: string
}

/** What happens in an attached form. */
interface Handlers {
  readonly submitted: (event: Event) => void
  readonly edited: (event: Event) => void
  readonly reset: () => void
  /** Called when the visitor comes back to this page, whose controls may have other values now. */
  readonly shown: () => void
  readonly update: () => void
  /** Restores the form to its original state. */
  readonly release: () => void
}

const TIMEOUT_MS = 30_000

/**
 * Connects the events of a form with its view.
 * @param signal aborted when the form is detached. From then on nothing but `release` changes the page.
 */
function handle(
  form: HTMLFormElement,
  view: FormView,
  options: AttachOptions & { readonly messages: Messages },
  signal: AbortSignal,
): Handlers {
  const { messages } = options
  let removeReceipt = (): void => undefined
  let isBusy = false
  const setBusy = (busy: boolean): void => {
    isBusy = busy
    view.setBusy(busy)
  }
  const update = (): void => {
    if (!signal.aborted) view.update()
  }
  const saved = (receipt: Receipt): void => {
    const ending = options.onSaved?.(receipt) === false ? 'handled' : endingOf(receipt, options)
    // The page may have detached the form when it was told.
    if (signal.aborted) return
    view.say('')
    if (ending !== 'handled') HTMLFormElement.prototype.reset.call(form)
    if (ending === 'receipt') removeReceipt = showReceipt(form, receipt)
    // The form stays busy while the next page loads, so that another click does not send it again.
    if (ending instanceof URL) location.assign(ending)
    else setBusy(false)
  }
  const conclude = (outcome: Outcome): void => {
    if (signal.aborted) return
    if (outcome.kind === 'saved') {
      saved(outcome.receipt)
      return
    }
    setBusy(false)
    if (outcome.kind !== 'refused') {
      view.complain(messages[outcome.kind], new Map())
      return
    }
    const errors = errorsOf(outcome)
    const isOwners = errors.size > 0 && [...errors.keys()].every((id) => id !== PASSWORD && !view.asksFor(id))
    // The visitor cannot mend what the page sends.
    if (isOwners) view.complain(messages.ownerMistake, new Map(), linesOf(errors))
    else view.complain(errors.size > 0 ? messages.checkAnswers : outcome.error, errors)
  }
  return {
    update,
    submitted: (event) => {
      if (event.defaultPrevented) return
      event.preventDefault()
      if (isBusy) return
      update()
      const data = dataOf(form, event)
      const files = [...data].flatMap(([name, value]) => (typeof value === 'string' ? [] : [name]))
      if (files.length > 0) {
        view.complain(messages.checkAnswers, new Map(files.map((name) => [name, messages.noFiles])))
        return
      }
      setBusy(true)
      view.say(messages.sending)
      void send(data, actionOf(form), options.timeoutMs ?? TIMEOUT_MS).then(conclude)
    },
    edited: ({ target }) => {
      const { form: owner, name } = target as Partial<HTMLInputElement>
      if (owner !== form) return
      if (target instanceof HTMLInputElement) showAll(target)
      view.corrected(name ?? '')
      update()
    },
    reset: () => {
      if (!signal.aborted) view.say('')
      update()
    },
    shown: () => {
      setBusy(false)
      update()
    },
    release: () => {
      setBusy(false)
      removeReceipt()
      view.release()
    },
  }
}

/**
 * Removes from an address what nobody sees, and what address books put around it: the service would ignore it, but the
 * browser refuses such an address without saying why.
 */
function showAll(control: HTMLInputElement): void {
  const { type, value } = control
  if (type === 'email' && withoutFormatCharacters(value) !== value) control.value = deliveryAddress(value)
}

/** How a saved submission ends: on the page that `_redirect` names, or with the confirmation. */
function endingOf({ redirectUrl }: Receipt, { followRedirect }: AttachOptions): URL | 'receipt' {
  if (followRedirect !== true || redirectUrl === undefined) return 'receipt'
  const target = new URL(redirectUrl, location.href)
  // The service only returns URLs on the site of this page, so any other one was tampered with.
  return target.origin === location.origin ? target : 'receipt'
}

/**
 * What is wrong, by the name under which it was sent. The password is no field of the form, but the visitor typed it into a
 * control, so its error is shown there.
 */
function errorsOf({
  code,
  error,
  fieldErrors,
}: Extract<Outcome, { kind: 'refused' }>): ReadonlyMap<string, string> {
  if (code === 'password_required' || code === 'invalid_password') return new Map([[PASSWORD, error]])
  return code === 'invalid_redirect' ? new Map([['_redirect', error]]) : fieldErrors
}

const PASSWORD = '_password'

function linesOf(errors: ReadonlyMap<string, string>): readonly string[] {
  return [...errors].map(([id, message]) => `${id}: ${message}`)
}

/** Which form a page shows, and which service takes its submissions. */
export interface FormAddress {
  /** The origin of the service, such as `https://api.example.com`. */
  readonly service: string
  readonly formId: string
}

/** The paths that take submissions: that of the contract, and the one for pages made for another form backend. */
const SUBMISSIONS = /^\/(?:api\/forms\/([\w-]+)\/submissions|f\/([\w-]+))\/?$/

/** The address that a form's `action` means; null: it is not sent to a submission endpoint. */
export function addressOf(action: string): FormAddress | null {
  const url = URL.canParse(action) ? new URL(action) : null
  if (url === null) return null
  const { origin, pathname } = url
  // The ids of forms have no character that a URL escapes.
  const [, formId, movedId] = SUBMISSIONS.exec(pathname) ?? []
  const named = formId ?? movedId
  return named === undefined ? null : { service: origin, formId: named }
}

/**
 * Fetches what a page needs of a published form. Browsers keep it for a minute.
 * @throws Error when there is no such published form, or the service cannot be reached within `timeoutMs`
 */
export async function loadForm({ service, formId }: FormAddress, timeoutMs = 10_000): Promise<ClientForm> {
  const url = new URL(`/forms/${encodeURIComponent(formId)}/definition`, service)
  const response = await fetch(url, { credentials: 'omit', signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok)
    throw new Error(`The form ${formId} cannot be loaded: the service answered ${response.status}.`)
  // The service answers a found form with nothing else.
  return (await response.json()) as ClientForm
}

type Outcome =
  | { readonly kind: 'saved'; readonly receipt: Receipt }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly error: string
      readonly fieldErrors: ReadonlyMap<string, string>
    }
  /** No response arrived, so nobody knows whether the submission was saved. */
  | { readonly kind: 'unreachable' }
  /** A response arrived that is not from the service. */
  | { readonly kind: 'unreadable' }

/**
 * Sends a form once. The body is what the browser itself would send: so a form works the same without scripts, and the
 * request needs no preflight, which saves a round trip.
 */
async function send(body: FormData, url: string, timeoutMs: number): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs)
  const headers = { accept: 'application/json' }
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers,
      credentials: 'omit',
      signal,
    })
    const text = await response.text()
    return read(text)
  } catch {
    return { kind: 'unreachable' }
  }
}

/** What the browser would send, with the button that was pressed. An empty file input would send an empty file: it is left out. */
function dataOf(form: HTMLFormElement, event: Event): FormData {
  const submitter = event instanceof SubmitEvent ? event.submitter : null
  const data = new FormData()
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') data.append(name, value)
    else if (value.name !== '' || value.size > 0) data.append(name, value)
  return data
}

function read(text: string): Outcome {
  const answer = parse(text) as Partial<Record<string, unknown>> | null
  if (answer?.ok === true) return { kind: 'saved', receipt: answer as unknown as Receipt }
  if (typeof answer?.code !== 'string' || typeof answer.error !== 'string') return { kind: 'unreadable' }
  const { code, error, fieldErrors } = answer
  return { kind: 'refused', code, error, fieldErrors: new Map(Object.entries(fieldErrors ?? {})) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
