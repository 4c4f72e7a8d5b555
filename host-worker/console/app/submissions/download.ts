import { shownFields } from '../../../../domain/forms/shown-answers.ts'
import { submissionsSheet } from '../../../../domain/forms/submissions-sheet.ts'
import { csvOf } from '../../../../domain/text/csv.ts'
import { shownJson } from '../../../../domain/text/terminal.ts'
import type { Client, Work } from '../service/client.ts'
import type { BodyOf, CallOf, ItemOf } from '../service/operations.ts'

/** The formats of a file of submissions, as those of the operator's command. */
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const
export type Format = keyof typeof types

/** A file that is not saved yet. */
export interface TextFile {
  readonly name: string
  readonly type: string
  readonly parts: readonly string[]
}

/** Which submissions are asked for. */
export type SubmissionsQuery = Omit<NonNullable<CallOf<'submissions.list'>['query']>, 'limit' | 'cursor'>

interface Asked {
  readonly organizationId: string
  readonly query: SubmissionsQuery
  readonly format: Format
}

/** Rows of one request: the most that the service answers with. */
const PAGE_ROWS = 500

/** Reads every submission of a filter, page by page, into a file. Throws a `Failure`, and when it is stopped. */
export async function fileOf(
  client: Client,
  { organizationId, query, format }: Asked,
  { signal, report }: Work<number>,
): Promise<TextFile> {
  const submissions: ItemOf<'submissions.list'>[] = []
  const lines: string[] = []
  let count = 0
  let cursor: string | null = null
  do {
    const call: CallOf<'submissions.list'> = {
      params: { organizationId },
      query: { limit: PAGE_ROWS, ...query, ...(cursor === null ? {} : { cursor }) },
    }
    const page: BodyOf<'submissions.list'> = await client.call('submissions.list', call, signal)
    // A sheet knows its columns when it has every row; a line says everything by itself.
    if (format === 'csv') submissions.push(...page.data)
    else lines.push(page.data.map((submission) => `${shownJson(submission)}\n`).join(''))
    count += page.data.length
    report(count)
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  const { formId } = query
  if (format === 'csv') {
    const formIds = new Set(submissions.map((submission) => submission.formId))
    const forms = new Map<string, ReturnType<typeof shownFields>>()
    for (const of of formIds) forms.set(of, await fieldsOf(client, { organizationId, formId: of }, signal))
    lines.push(csvOf(submissionsSheet(submissions, forms, { isLabelled: true })))
  }
  return {
    name: `${String(formId ?? organizationId)}-submissions.${format}`,
    type: types[format],
    parts: lines,
  }
}

/** The fields of a form that answers are shown by. */
export async function fieldsOf(
  client: Client,
  params: { readonly organizationId: string; readonly formId: string },
  signal: AbortSignal,
): Promise<ReturnType<typeof shownFields>> {
  return shownFields((await client.call('organizationForms.show', { params }, signal)).form.fields)
}
