import { actionOf } from './controls.ts'
import type { PublishedForm } from './definition.ts'
import { prepareForm } from './definition.ts'
import { viewForm } from './form-view.ts'
import type { Messages } from './messages.ts'
import { englishMessages } from './messages.ts'
import { showReceipt } from './receipt-view.ts'
import type { Outcome, Receipt } from './send.ts'
import { send } from './send.ts'

export interface AttachOptions {
  /**
   * Called once for a saved submission. When it returns false, the client neither shows a message nor leaves the page.
   */
  readonly onSaved?: (receipt: Receipt) => unknown
  /**
   * Whether to go to the receipt's `redirectUrl`, which the service returns for a valid `_redirect`. Default: false.
   */
  readonly followRedirect?: boolean
  /** Texts that replace the client's own English ones. */
  readonly messages?: Partial<Messages>
  /** How long to wait for a response, in ms. Default: 30,000. */
  readonly timeoutMs?: number
}

export interface Attached {
  /** Applies the rules again. Only needed after a script of the site has changed values. */
  update(): void
  /** Restores the form to its original state, so that the browser handles it. */
  detach(): void
}

const TIMEOUT_MS = 30_000

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

/**
 * Makes a form show and hide its fields as the visitor types, and sends it without leaving the page. The form must also
 * work without this script: it needs `action` and `method="post"`, field ids as names, and an empty `_gotcha`.
 */
export function attach(
  form: HTMLFormElement,
  definition: PublishedForm,
  options: AttachOptions = {},
): Attached {
  const messages = { ...englishMessages, ...options.messages }
  const view = viewForm(form, definition)
  view.update()
  let isBusy = false
  const setBusy = (busy: boolean): void => {
    isBusy = busy
    view.setBusy(busy)
  }
  const conclude = (outcome: Outcome): void => {
    // The form stays busy while the next page loads, so that another click does not send it again.
    setBusy(outcome.kind === 'saved' && finish(form, outcome.receipt, options))
    if (outcome.kind === 'saved') view.say('')
    else if (outcome.kind !== 'refused') view.complain(messages[outcome.kind], new Map())
    else {
      const errors = errorsOf(outcome)
      view.complain(errors.size > 0 ? messages.checkAnswers : outcome.error, errors)
    }
  }
  const submitted = (event: Event): void => {
    if (event.defaultPrevented) return
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    view.update()
    view.say(messages.sending)
    void send(form, actionOf(form), options.timeoutMs ?? TIMEOUT_MS).then(conclude)
  }
  const edited = ({ target }: Event): void => {
    const { form: owner, name } = target as Partial<HTMLInputElement>
    if (owner !== form) return
    view.corrected(name ?? '')
    view.update()
  }
  const reset = (): void => {
    view.say('')
    view.update()
  }
  const stop = listen(form, {
    submitted,
    edited,
    reset,
    shown: () => {
      setBusy(false)
      view.update()
    },
  })
  return {
    update: view.update,
    detach: () => {
      stop()
      setBusy(false)
      view.release()
    },
  }
}

/** Handles a saved submission. True: the browser is leaving the page. */
function finish(form: HTMLFormElement, receipt: Receipt, options: AttachOptions): boolean {
  if (options.onSaved?.(receipt) === false) return false
  HTMLFormElement.prototype.reset.call(form)
  const target = options.followRedirect === true ? safeRedirect(receipt.redirectUrl) : null
  if (target === null) showReceipt(form, receipt)
  else location.assign(target)
  return target !== null
}

/**
 * The redirect, if it is on the site of this page. The service only returns such URLs, so any other one was tampered
 * with.
 */
function safeRedirect(url: string | undefined): string | null {
  const target = url === undefined ? null : new URL(url, location.href)
  return target?.origin === location.origin ? target.href : null
}

/** The password is not a field of the form, but the visitor typed it into a control, so its error is shown there. */
function errorsOf({
  code,
  error,
  fieldErrors,
}: Extract<Outcome, { kind: 'refused' }>): ReadonlyMap<string, string> {
  return code === 'password_required' || code === 'invalid_password'
    ? new Map([['_password', error]])
    : fieldErrors
}

interface Listeners {
  readonly submitted: (event: Event) => void
  readonly edited: (event: Event) => void
  readonly reset: () => void
  /** Called when the visitor comes back to this page, whose controls may have other values now. */
  readonly shown: () => void
}

function listen(form: HTMLFormElement, { submitted, edited, reset, shown }: Listeners): () => void {
  const listening = new AbortController()
  const options = { signal: listening.signal }
  // Controls may be outside their form, so the listeners are on the root and not on the form.
  const root = Node.prototype.getRootNode.call(form)
  root.addEventListener('input', edited, options)
  root.addEventListener('change', edited, options)
  EventTarget.prototype.addEventListener.call(form, 'submit', submitted, options)
  // The values change only after the reset event, hence the timeout.
  EventTarget.prototype.addEventListener.call(form, 'reset', () => setTimeout(reset), options)
  addEventListener('pageshow', shown, options)
  return () => {
    listening.abort()
  }
}
