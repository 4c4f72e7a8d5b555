import { prepareForm, type PublishedForm } from './definition.ts'
import { viewForm } from './form-view.ts'
import { handle, type AttachOptions, type Handlers } from './handle.ts'

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
  const handlers = handle(form, viewForm(form, definition), options, signal)
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
