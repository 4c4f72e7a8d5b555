/** The body that the service returns for a saved submission. */
export interface Receipt {
  readonly ok: true
  readonly submissionId?: string
  readonly title?: string
  readonly message?: string
  readonly redirectUrl?: string
}

export type Outcome =
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
export async function send(form: HTMLFormElement, url: string, timeoutMs: number): Promise<Outcome> {
  const signal = AbortSignal.timeout(timeoutMs)
  const headers = { accept: 'application/json' }
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: textsOf(form),
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

/** The form's data without files, which cannot be submitted. An empty file input would otherwise send an empty file. */
function textsOf(form: HTMLFormElement): FormData {
  const texts = new FormData()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') texts.append(name, value)
  return texts
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
