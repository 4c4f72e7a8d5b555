import { answeredFields, submissionsSheet } from '../../../../domain/forms/sheet/submissions-sheet.ts'
import { csvOf } from '../../../../domain/text/csv.ts'
import { shownJson } from '../../../../domain/text/terminal.ts'
import type { Client } from '../service/client.ts'
import type { BodyOf, CallOf, ItemOf } from '../service/operations.ts'
import { queryOf, type Format, type InboxFilter } from './inbox-path.ts'

type Submission = ItemOf<'submissions.list'>

/** A file that is not saved yet. */
export interface TextFile {
  readonly name: string
  readonly type: string
  readonly parts: readonly string[]
}

interface Asked {
  readonly organizationId: string
  readonly filter: InboxFilter
  readonly format: Format
}

/** Rows of one request: the most that the service answers with. */
const PAGE_ROWS = 500

const types: Readonly<Record<Format, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/**
 * Reads every submission of a filter, page by page, into a file. Throws a `Failure`, and when it is aborted.
 * @param onProgress told how many were read so far
 */
export async function fileOf(
  client: Client,
  { organizationId, filter, format }: Asked,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<TextFile> {
  const submissions: Submission[] = []
  const lines: string[] = []
  let count = 0
  let cursor: string | null = null
  do {
    const query = { limit: PAGE_ROWS, ...queryOf(filter) }
    const call: CallOf<'submissions.list'> = {
      params: { organizationId },
      query: cursor === null ? query : { ...query, cursor },
    }
    const { data, pagination }: BodyOf<'submissions.list'> = await client.call(
      'submissions.list',
      call,
      signal,
    )
    // A sheet knows its columns when it has every row; a line says everything by itself.
    if (format === 'csv') submissions.push(...data)
    else lines.push(data.map((submission) => `${shownJson(submission)}\n`).join(''))
    count += data.length
    onProgress(count)
    cursor = pagination.nextCursor
  } while (cursor !== null)
  const parts =
    format === 'csv'
      ? [csvOf(submissionsSheet(await fieldsOf(client, organizationId, filter.formId, signal), submissions))]
      : lines
  const name = `${filter.formId ?? organizationId}-submissions.${format}`
  return { name, type: types[format], parts }
}

async function fieldsOf(
  client: Client,
  organizationId: string,
  formId: string | null,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (formId === null) return []
  const { form } = await client.call('organizationForms.show', { params: { organizationId, formId } }, signal)
  return answeredFields(form)
}
