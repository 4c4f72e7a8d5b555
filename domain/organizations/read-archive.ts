import * as v from 'valibot'
import type { ArchiveDigest, OpenDigest } from '../../ports/organization-store.ts'
import { concatenated, decodeUtf8, membersOf, parsedOr } from '../text/encoding.ts'
import {
  LINE_BYTES_MAX,
  Manifest,
  MANIFEST_BYTES_MAX,
  ORGANIZATION_BYTES_MAX,
  OrganizationFile,
  type ArchivedFile,
} from './archive.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  MANIFEST,
  ORGANIZATION,
  BLOCK_BYTES,
  paddingOf,
  readTarHeader,
  type TarHeader,
} from './tar.ts'
import type { StoredValue } from '../../ports/placement.ts'
import { FORM_ID } from '../forms/language/definition.ts'
import { isReservedId } from '../imports/check.ts'
import { Instant } from '../record/field.ts'
import { storedFields, type Resource } from '../record/resource.ts'
import { forms } from '../resources/forms.ts'
import { resources } from '../resources/index.ts'
import { webhookUrlProblem, DESCRIPTION_MAX_LENGTH, FORMS_MAX } from '../webhooks/webhook.ts'

/** What is wrong with an archive, as one sentence for a person. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem'
}

/** A piece of an archive. The manifest comes first, then the organization, then the rows of each file in parts. */
type ArchivePiece =
  | { readonly kind: 'manifest'; readonly manifest: Manifest; readonly digest: string }
  | { readonly kind: 'organization'; readonly organization: OrganizationFile }
  | { readonly kind: 'part'; readonly part: number; readonly file: string; readonly lines: readonly string[] }

/** How much of a file is one part: it depends on nothing but the file, so an interrupted reader finds the same parts. */
const PART_ROWS = 2_000
const PART_BYTES = 500_000

/**
 * Reads an archive in bounded memory, and checks everything about it but the values of rows. Throws an `ArchiveProblem`
 * for one that is cut, altered, of another format or of a newer version. The content of a file is only known to be right
 * once its last part was given out and the next piece was asked for.
 */
export async function* readArchive(
  bytes: AsyncIterable<Uint8Array>,
  openDigest: OpenDigest,
): AsyncGenerator<ArchivePiece> {
  const reader = createByteReader(
    bytes,
    () => new ArchiveProblem('The archive is cut off: its end is missing.'),
  )
  const text = await wholeFile(reader, MANIFEST, MANIFEST_BYTES_MAX)
  const manifest = manifestOf(parsedOr(decodeUtf8(text) ?? '', undefined))
  yield { kind: 'manifest', manifest, digest: await digestOf(text, openDigest) }
  const content = await wholeFile(reader, ORGANIZATION, ORGANIZATION_BYTES_MAX)
  const isSame = (await digestOf(content, openDigest)) === manifest.organization.sha256
  const organization = v.safeParse(OrganizationFile, parsedOr(decodeUtf8(content) ?? '', undefined))
  if (!isSame || !organization.success) throw altered(ORGANIZATION)
  if (organization.output.organizationId !== manifest.organizationId) throw altered(MANIFEST)
  yield { kind: 'organization', organization: organization.output }
  const parts = { given: 0 }
  for (const file of manifest.files) {
    expectFile(await header(reader), file.file, file.bytes)
    yield* partsOf(reader, file, parts, openDigest())
    await skipPadding(reader, file.bytes)
  }
  if ((await header(reader)) !== null)
    throw new ArchiveProblem('The archive has files that its manifest does not name.')
  await expectEnd(reader)
}

function manifestOf(value: unknown): Manifest {
  const { format, version } = membersOf(value)
  if (format !== ARCHIVE_FORMAT) throw new ArchiveProblem('This is no archive of this service.')
  if (typeof version === 'number' && version > ARCHIVE_VERSION)
    throw new ArchiveProblem(
      `The archive has version ${version} of the format, and this service reads up to version ${ARCHIVE_VERSION}. Restore it with the version of the service that wrote it, or a later one.`,
    )
  const manifest = v.safeParse(Manifest, value)
  if (!manifest.success) throw altered(MANIFEST)
  return manifest.output
}

/** The error for content that is not what the archive was written with. */
function altered(file: string): ArchiveProblem {
  return new ArchiveProblem(`${file} was altered or damaged since the archive was written.`)
}

async function header(reader: ByteReader): Promise<TarHeader | null> {
  const found = readTarHeader(await reader.take(BLOCK_BYTES))
  if (found === 'damaged') throw new ArchiveProblem('This is no archive of this service, or it is damaged.')
  return found
}

function expectFile(found: TarHeader | null, name: string, bytes: number): void {
  if (found?.name !== name)
    throw new ArchiveProblem(
      `The archive lacks ${name}, or has files in another order than this service writes them.`,
    )
  if (found.bytes !== bytes) throw altered(name)
}

/** A small file as a whole. Its size is checked before it is read. */
async function wholeFile(
  reader: ByteReader,
  name: string,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = await header(reader)
  if (found?.name !== name) throw new ArchiveProblem(`This is no archive of this service: it lacks ${name}.`)
  if (found.bytes > bytesMax)
    throw new ArchiveProblem(`${name} has ${found.bytes} bytes; it may have at most ${bytesMax}.`)
  const content = await reader.take(found.bytes)
  await skipPadding(reader, found.bytes)
  return content
}

async function skipPadding(reader: ByteReader, bytes: number): Promise<void> {
  if ((await reader.take(paddingOf(bytes))).some((byte) => byte !== 0)) throw altered('The archive')
}

/** Expects the second of the two empty blocks, and nothing behind it. */
async function expectEnd(reader: ByteReader): Promise<void> {
  if ((await reader.take(BLOCK_BYTES)).some((byte) => byte !== 0))
    throw new ArchiveProblem('The archive goes on after its end.')
  for (;;) {
    const bytes = await reader.some(BLOCK_BYTES)
    if (bytes === null) return
    if (bytes.some((byte) => byte !== 0)) throw new ArchiveProblem('The archive goes on after its end.')
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>, openDigest: OpenDigest): Promise<string> {
  const digest = openDigest()
  await digest.update(bytes)
  return digest.end()
}

const LINE_FEED = 0x0a

/** The lines of a file, in parts. */
async function* partsOf(
  reader: ByteReader,
  { file, bytes, rows, sha256 }: ArchivedFile,
  parts: { given: number },
  digest: ArchiveDigest,
): AsyncGenerator<ArchivePiece> {
  let [left, read] = [bytes, 0]
  let rest: Uint8Array[] = []
  let restBytes = 0
  let lines: string[] = []
  let linesBytes = 0
  const part = (): ArchivePiece => {
    const piece = { kind: 'part', part: (parts.given += 1), file, lines } as const
    lines = []
    linesBytes = 0
    return piece
  }
  while (left > 0) {
    const chunk = await reader.some(left)
    if (chunk === null) throw new ArchiveProblem('The archive is cut off: its end is missing.')
    left -= chunk.length
    await digest.update(chunk)
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = decodeUtf8(concatenated([...rest, chunk.subarray(start, end)]))
      if (line === null) throw altered(file)
      linesBytes += restBytes + end - start
      lines.push(line)
      read += 1
      rest = []
      restBytes = 0
      start = end + 1
      if (lines.length === PART_ROWS || linesBytes >= PART_BYTES) yield part()
    }
    if (start < chunk.length) rest.push(chunk.slice(start))
    restBytes += chunk.length - start
    if (restBytes > LINE_BYTES_MAX)
      throw new ArchiveProblem(`${file} has a line of more than ${LINE_BYTES_MAX} bytes.`)
  }
  if (restBytes > 0 || read !== rows || (await digest.end()) !== sha256) throw altered(file)
  if (lines.length > 0) yield part()
}

/** Reads bytes that come in pieces of any size. */
interface ByteReader {
  /** Exactly this many bytes. Throws when fewer are left. */
  take(bytes: number): Promise<Uint8Array<ArrayBuffer>>
  /** At most this many bytes, and at least one; null: none are left. */
  some(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null>
}

/** @param cutOff makes the error for bytes that end too early */
function createByteReader(source: AsyncIterable<Uint8Array>, cutOff: () => Error): ByteReader {
  const pieces = source[Symbol.asyncIterator]()
  let waiting = new Uint8Array(0)
  const some = async (bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null> => {
    while (waiting.length === 0) {
      const next = await pieces.next()
      if (next.done === true) return null
      // The source may reuse its buffer for the next piece.
      waiting = next.value.slice()
    }
    const given = waiting.subarray(0, bytesMax)
    waiting = waiting.subarray(given.length)
    return given
  }
  return {
    some,
    async take(bytes) {
      const taken: Uint8Array[] = []
      for (let left = bytes; left > 0;) {
        const piece = await some(left)
        if (piece === null) throw cutOff()
        taken.push(piece)
        left -= piece.length
      }
      return concatenated(taken)
    },
  }
}

// An archive may be damaged, or written by somebody who means harm; its digests prove neither. So a row of it must be one
// that this service could have stored: what the column can hold is checked before, and here what it means.

/** How far ahead of the service's own time an instant may be that the service itself has set. */
export const AHEAD_MS = 86_400_000

type Row = readonly StoredValue[]

/** What is wrong with a row of an archive, as the rest of a sentence that begins with the row; null: nothing. */
type RowCheck = (row: Row) => string | null

/**
 * The check of the rows of a table, whose values come in the order of these fields.
 * @param nowMs the service's own time
 */
export function rowCheck(table: string, fields: readonly string[], nowMs: number): RowCheck {
  const resource = resourceOfTable.get(table)
  const own = serviceRows[table]
  if (resource !== undefined) return resourceCheck(resource, fields, nowMs)
  if (own === undefined) return () => null
  const schema = own(nowMs)
  return (row) => {
    for (const [index, field] of fields.entries()) {
      const expected = schema[field]
      if (expected !== undefined && !v.is(expected, row[index] ?? null))
        return `has a value for ${field} that this service does not store`
    }
    return null
  }
}

const resourceOfTable = new Map(
  resources.map((resource) => [resource.collection.replaceAll('-', '_'), resource] as const),
)

const CONTROL_CHARACTER = /\p{Cc}/u

function resourceCheck(resource: Resource, fields: readonly string[], nowMs: number): RowCheck {
  // A hidden field is the stored one of its name, so it comes last.
  const stored = new Map(storedFields(resource))
  const checks = fields.flatMap((name, index) => {
    const field = stored.get(name)?.field
    return field === undefined ? [] : [{ name, index, field, isKey: resource.key.includes(name) }]
  })
  return (row) => {
    for (const { name, index, field, isKey } of checks) {
      const held = row[index] ?? null
      if (held === null) continue
      const value =
        field.storage === 'json'
          ? parsedOr(String(held), null)
          : field.storage === 'boolean'
            ? held === 1
            : held
      if (!fits(field.schema, value)) return `has a value for ${name} that this service does not store`
      if (name === 'updatedAt' && Date.parse(String(held)) > nowMs + AHEAD_MS)
        return `was changed at ${String(held)}, more than a day after the time of this service`
      if (isKey && isOddId(resource, name, String(held))) return `has an id that no row can have, in ${name}`
    }
    return resource === forms ? formProblem(row, fields) : null
  }
}

/** Whether a value is one of a field. A document may lack members: an archive of an earlier version has fewer. */
function fits(schema: v.GenericSchema, value: unknown): boolean {
  const { issues } = v.safeParse(schema, value)
  return issues?.every(({ input, path }) => input === undefined && path?.length === 1) ?? true
}

function isOddId({ collection, keptFrom }: Resource, name: string, id: string): boolean {
  return keptFrom === null && (CONTROL_CHARACTER.test(id) || isReservedId(collection, name, id))
}

/** What everything that serves forms relies on. What the fields of a form are may be anything, as in an import. */
const ServedDefinition = v.looseObject({
  formId: v.string(),
  fields: v.array(v.unknown()),
  // Added where it is missing.
  notificationEmails: v.optional(v.array(v.string())),
})

function formProblem(row: Row, fields: readonly string[]): string | null {
  const at = (name: string) => row[fields.indexOf(name)] ?? null
  if (!FORM_ID.test(String(at('formId')))) return 'has an id that no form can have'
  const definition = parsedOr(String(at('definition')), null)
  if (!v.is(ServedDefinition, definition)) return 'has a definition that is none'
  return definition.formId === at('formId') ? null : 'has a definition of another form'
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const identifier = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(400),
  v.check((text) => !CONTROL_CHARACTER.test(text)),
)

/** What the service's own tables hold, by the fields of archives. Tables that only repeat other rows are not here. */
const serviceRows: Readonly<Record<string, (nowMs: number) => Readonly<Record<string, v.GenericSchema>>>> = {
  outbox: (nowMs) => ({
    outboxId: identifier,
    submissionId: identifier,
    kind: identifier,
    status: v.picklist(['pending', 'held', 'failed']),
    attempts: count,
    nextAttemptAt: Instant,
    createdAt: byNow(nowMs),
    updatedAt: byNow(nowMs),
    waitingSince: v.nullable(byNow(nowMs)),
  }),
  form_versions: (nowMs) => ({
    formId: v.pipe(v.string(), v.regex(FORM_ID)),
    number: v.pipe(count, v.minValue(1)),
    savedAt: byNow(nowMs),
    definition: v.pipe(
      v.string(),
      v.check((text) =>
        v.is(v.looseObject({ ...ServedDefinition.entries, name: v.string() }), parsedOr(text, null)),
      ),
    ),
  }),
  sends: (nowMs) => ({
    sendId: identifier,
    channel: v.picklist(['sms', 'mms', 'email']),
    at: byNow(nowMs),
  }),
  automation_messages: () => ({
    messageId: identifier,
    at: Instant,
    waitsUntil: Instant,
    isSent: v.picklist([0, 1]),
    isCounted: v.picklist([0, 1]),
  }),
  // A setting that is due in a far future would never be applied.
  retention: (nowMs) => ({
    kind: v.picklist(['submissions', 'sends']),
    days: v.pipe(count, v.minValue(1), v.maxValue(36_500)),
    dueAt: byNow(nowMs + AHEAD_MS),
  }),
  spam_models: (nowMs) => ({
    spamCount: count,
    cleanCount: count,
    updatedAt: byNow(nowMs),
    weights: numbers,
    inSpam: numbers,
    inClean: numbers,
  }),
  webhooks: (nowMs) => ({
    webhookId: v.pipe(v.string(), v.regex(/^wh_\w{1,64}$/)),
    url: v.pipe(
      v.string(),
      v.check((url) => webhookUrlProblem(url, false) === null || webhookUrlProblem(url, true) === null),
    ),
    events: document(v.pipe(v.array(v.string()), v.maxLength(100))),
    formIds: v.nullable(document(v.pipe(v.array(v.string()), v.maxLength(FORMS_MAX)))),
    description: v.pipe(v.string(), v.maxLength(DESCRIPTION_MAX_LENGTH)),
    createdAt: byNow(nowMs),
    version: v.pipe(count, v.minValue(1)),
  }),
  api_keys: () => ({ keyId: identifier, kind: v.literal('tenant') }),
}

/** What was learned of words has a number for each, or none at all. */
const numbers = document(v.pipe(v.array(v.pipe(v.number(), v.safeInteger())), v.maxLength(4_096)))

/** A text of JSON of this form. */
function document(schema: v.GenericSchema) {
  return v.pipe(
    v.string(),
    v.check((text) => v.is(schema, parsedOr(text, null))),
  )
}

/** An instant that the service has set: at most a day after its own time. */
function byNow(nowMs: number) {
  return v.pipe(
    Instant,
    v.check((instant) => Date.parse(instant) <= nowMs + AHEAD_MS),
  )
}
