import { type shownFields, submissionsSheet } from '../../../../domain/forms/shown-answers.ts'
import { csvOf } from '../../../../domain/text/csv.ts'
import { shownJson } from '../../../../domain/text/terminal.ts'
import { Failure, type Client, type Work } from '../service/client.ts'
import type { Page } from '../service/operations.ts'

/** The formats of a file of submissions, as those of the operator's command. */
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const
export type Format = keyof typeof types

/** A file that is not saved yet. */
export interface TextFile {
  readonly name: string
  readonly type: string
  readonly parts: readonly string[]
  /** Whether there are older ones, which were not read. */
  readonly isCut: boolean
}

type Fields = ReturnType<typeof shownFields>

/** Reads the fields of a form. */
export type ReadFields = (client: Client, formId: string, signal: AbortSignal) => Promise<Fields>

/** What a sheet needs of a submission. */
type SheetSubmission = Parameters<typeof submissionsSheet>[0][number]

/** A page of a list of submissions. */
export interface SubmissionsPage<Submission> extends Page<Submission> {
  /** Whether it is the last one although there are older submissions, because no more are looked at. */
  readonly isCut?: boolean
}

/** Where a list of submissions is read. */
export interface Source<Submission extends object> {
  /** The name of a file of it, without its format. */
  readonly name: string
  /** Reads a page, with as many rows as one request may have. Each has what a sheet needs, and is a line as it is. */
  readonly readPage: (
    client: Client,
    cursor: string | null,
    signal: AbortSignal,
  ) => Promise<SubmissionsPage<Submission>>
  readonly sheetOf: (submission: Submission) => SheetSubmission
  readonly readFields: ReadFields
}

/** Reads every submission of a list, page by page, into a file. Throws a `Failure`, and when it is stopped. */
export async function fileOf<Submission extends object>(
  client: Client,
  { name, readPage, sheetOf, readFields }: Source<Submission>,
  format: Format,
  { signal, report }: Work<number>,
): Promise<TextFile> {
  const submissions: SheetSubmission[] = []
  const lines: string[] = []
  let count = 0
  let isCut = false
  let cursor: string | null = null
  do {
    const page: SubmissionsPage<Submission> = await readPage(client, cursor, signal)
    // A sheet knows its columns when it has every row; a line says everything by itself.
    if (format === 'csv') submissions.push(...page.data.map(sheetOf))
    else lines.push(page.data.map((submission) => `${shownJson(submission)}\n`).join(''))
    count += page.data.length
    report(count)
    isCut = page.isCut === true
    cursor = page.pagination.nextCursor
  } while (cursor !== null)
  if (format === 'csv') {
    const formIds = new Set(submissions.map(({ formId }) => formId))
    const forms = new Map<string, Fields>()
    for (const formId of formIds) {
      const fields = await readFields(client, formId, signal).catch(noneOfGone)
      if (fields !== null) forms.set(formId, fields)
    }
    lines.push(csvOf(submissionsSheet(submissions, forms, { isLabelled: true })))
  }
  return { name: `${name}-submissions.${format}`, type: types[format], parts: lines, isCut }
}

/** Of a form that is no longer there, the ids of its fields are their names. */
function noneOfGone(thrown: unknown): null {
  if (thrown instanceof Failure && thrown.status === 404) return null
  throw thrown
}
