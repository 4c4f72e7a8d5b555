import type { ClientForm } from '../../../domain/forms/language/client-form.ts'

/** Which form a page shows, and which service takes its submissions. */
export interface FormAddress {
  /** The origin of the service, such as `https://api.example.com`. */
  readonly service: string
  readonly formId: string
}

/** The path of the submission endpoint (contract, Form submission). */
const SUBMISSIONS = /^\/api\/forms\/([\w-]+)\/submissions\/?$/

/** The address that a form's `action` means; null: it is not sent to a submission endpoint. */
export function addressOf(action: string): FormAddress | null {
  const url = URL.canParse(action) ? new URL(action) : null
  if (url === null) return null
  const { origin, pathname } = url
  // The ids of forms have no character that a URL escapes.
  const formId = SUBMISSIONS.exec(pathname)?.[1]
  return formId === undefined ? null : { service: origin, formId }
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
