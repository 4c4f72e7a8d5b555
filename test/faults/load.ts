import { setTimeout as pause } from 'node:timers/promises'

/** A submission that a client was told is saved. */
export interface Receipt {
  readonly formId: string
  readonly submissionId: string
  /** The text that the client wrote into the message, different for each post. */
  readonly marker: string
}

/** The outcome of the posts, as the clients saw it. */
export interface LoadOutcome {
  readonly receipts: readonly Receipt[]
  /** Posts whose connection broke or was refused: whether they were saved is unknown. */
  readonly broken: number
  /** Answers that are neither a receipt nor a failure in the error body. */
  readonly improper: readonly string[]
  /** Proper failures, 5xx. */
  readonly failures: number
}

/** A load that runs until it is stopped. */
export interface Load {
  /** The number of posts that were sent and have not been answered. */
  waiting(): number
  stop(): Promise<LoadOutcome>
}

const CLIENTS = 6
/** The pause of a client between two posts, which limits the rows of a round. */
const PAUSE_MS = 5
/** The number of people who post. Each of them becomes one contact. */
const PEOPLE = 40

/** Several clients post to forms at once. No post is repeated. */
export function startLoad(
  origin: string,
  name: string,
  formIds: readonly string[],
  clientCount = CLIENTS,
): Load {
  const receipts: Receipt[] = []
  const improper: string[] = []
  const counts = { broken: 0, failures: 0 }
  const state = { isStopping: false, waiting: 0 }
  const post = async (number: number, turn: number): Promise<void> => {
    const marker = `${name}-${number}-${turn}`
    const formId = formIds[(number + turn) % formIds.length] ?? ''
    state.waiting += 1
    const answer = await submit(origin, formId, marker, (number + turn * clientCount) % PEOPLE)
    state.waiting -= 1
    if (answer === null) counts.broken += 1
    else if (answer.kind === 'receipt') receipts.push({ formId, submissionId: answer.submissionId, marker })
    else if (answer.kind === 'failure') counts.failures += 1
    else improper.push(`${marker}: ${answer.text}`)
    await pause(answer === null ? PAUSE_MS * 10 : PAUSE_MS)
  }
  const client = async (number: number) => {
    for (let turn = 0; !state.isStopping; turn += 1) await post(number, turn)
  }
  const clients = Promise.all(Array.from({ length: clientCount }, (_, number) => client(number)))
  return {
    waiting: () => state.waiting,
    async stop() {
      state.isStopping = true
      await clients
      return { receipts, improper, ...counts }
    },
  }
}

type Answer =
  | { readonly kind: 'receipt'; readonly submissionId: string }
  | { readonly kind: 'failure' }
  | { readonly kind: 'improper'; readonly text: string }

/** One post; null when no complete answer came. */
export async function submit(
  origin: string,
  formId: string,
  marker: string,
  person: number,
): Promise<Answer | null> {
  const body = { _gotcha: '', firstName: 'Ada', email: `person${person}@example.com`, message: marker }
  try {
    const response = await fetch(`${origin}/api/forms/${formId}/submissions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
    return judge(response.status, await response.text())
  } catch {
    return null
  }
}

function judge(status: number, text: string): Answer {
  const parsed = parse(text)
  if (status === 200 && parsed?.ok === true && typeof parsed.submissionId === 'string')
    return { kind: 'receipt', submissionId: parsed.submissionId }
  const isProper =
    parsed?.ok === false && parsed.code === 'internal_error' && typeof parsed.error === 'string'
  return status === 500 && isProper
    ? { kind: 'failure' }
    : { kind: 'improper', text: `${status} ${text.slice(0, 300)}` }
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return null
  }
}
