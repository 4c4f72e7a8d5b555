import {
  importTarget,
  transferFile,
  type ImportOutcome,
  type ImportProgress,
  type Transfer,
  type TransferAnswer,
} from '../../../domain/imports/file/transfer.ts'
import {
  abortImportEndpoint,
  commitImportEndpoint,
  openImportEndpoint,
  sendImportPart,
  writeImport,
} from '../../../domain/operators/imports.ts'
import { membersOf, parsedOr } from '../../../domain/text/encoding.ts'
import { requestFor, type Content } from '../../../domain/text/http.ts'
import { foreign, textOf, nothingThere, Refusal, Unavailable, repeated } from './call-service.ts'

const operations = {
  open: openImportEndpoint,
  sendPart: sendImportPart,
  commit: commitImportEndpoint,
  write: writeImport,
  abort: abortImportEndpoint,
}

/** The operations that an import into a service calls. */
export const importOperations = Object.values(operations)

/**
 * Sends one request to the operator interface, with the operator's key. Rejects with `Unavailable` when repeating the
 * request may help: no connection, or no response in time. Rejects with other errors for responses that are not about
 * the request itself: a refused key, a missing role.
 */
export type OperatorCall = (method: string, path: string, init?: Partial<Content>) => Promise<Response>

export interface RemoteImport extends Omit<Transfer, 'target'> {
  readonly organizationId: string
  /** The address of the service, for messages. */
  readonly url: string
  readonly call: OperatorCall
}

/**
 * Imports a file through the operator interface of a service. Every request is safe to repeat, so one without a
 * complete response is repeated, and so is one whose response is a failure of the service. When that does not help, this
 * rejects with the error of the last request, an `Unavailable`. The same call can then be made again, also by another
 * process or with another key, and continues where this one stopped.
 */
export function importThroughService({
  organizationId,
  url,
  call,
  ...file
}: RemoteImport): Promise<ImportOutcome> {
  const target = importTarget(organizationId, (operation, inputs) => {
    const { method, path: template } = operations[operation]
    const { path, ...init } = requestFor(template, inputs, nothingThere)
    return repeated(async () => answerOf(await call(method, path, init), url))
  })
  return transferFile({ ...file, target })
}

/**
 * The import in a response. Throws `Unavailable` for a response that the same request may not get again, and a
 * `CommandError` for one that is not from the service, or says that there is no such organization or import.
 */
async function answerOf(response: Response, url: string): Promise<TransferAnswer> {
  const { status } = response
  const value = parsedOr(await textOf(response, url), undefined)
  const sentence = sentenceIn(value) ?? `The service answered ${status}.`
  if (status >= 500) throw new Unavailable(sentence)
  if (value === undefined) throw foreign(response, url)
  // A value of another shape would contradict the service's document.
  if (response.ok) return { session: value as ImportProgress }
  if (status === 422) return { session: refusedSession(value as Pick<ImportProgress, 'problems'>) }
  if (status === 404) throw new Refusal(status, sentence)
  return { message: sentence }
}

function refusedSession({ problems }: Pick<ImportProgress, 'problems'>): ImportProgress {
  return {
    importId: '',
    state: 'refused',
    nextPart: 0,
    readRows: 0,
    skippedRows: 0,
    problems,
    warnings: [],
    writtenRows: 0,
    changedRows: 0,
    newRows: null,
    mergedRows: null,
  }
}

function sentenceIn(value: unknown): string | null {
  const { error } = membersOf(value)
  return typeof error === 'string' ? error : null
}
