import { deliveryAddress } from '../../../domain/text/email-address.ts'
import { withoutFormatCharacters } from '../../../domain/text/characters.ts'
import { actionOf } from './controls.ts'
import type { FormView } from './form-view.ts'
import { englishMessages, type Messages } from './messages.ts'
import { showReceipt } from './receipt-view.ts'
import { send, type Outcome, type Receipt } from './send.ts'

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
  /** Detaches the form when it is aborted, as when a component is removed from its page. */
  readonly signal?: AbortSignal
}

/** What happens in an attached form. */
export interface Handlers {
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
export function handle(
  form: HTMLFormElement,
  view: FormView,
  options: AttachOptions,
  signal: AbortSignal,
): Handlers {
  const messages = { ...englishMessages, ...options.messages }
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
    const errors = outcome.kind === 'refused' ? errorsOf(outcome) : new Map<string, string>()
    if (outcome.kind !== 'refused') view.complain(messages[outcome.kind], errors)
    else view.complain(errors.size > 0 ? messages.checkAnswers : outcome.error, errors)
  }
  return {
    update,
    submitted: (event) => {
      if (event.defaultPrevented) return
      event.preventDefault()
      if (isBusy) return
      update()
      const problems = view.numberProblems()
      if (problems.size > 0) {
        view.complain(messages.checkAnswers, problems)
        return
      }
      setBusy(true)
      view.say(messages.sending)
      void send(form, actionOf(form), options.timeoutMs ?? TIMEOUT_MS).then(conclude)
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
