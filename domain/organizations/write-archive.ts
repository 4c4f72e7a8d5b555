import type { ArchiveDigest, OpenDigest, ArchivePosition } from '../../ports/organization-store.ts'
import { utf8 } from '../text/encoding.ts'
import type {
  ArchivedFile,
  Manifest,
  ArchiveHead,
  ArchiveSource,
  OrganizationFile,
  ArchiveLines,
} from './archive.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  MANIFEST,
  ORGANIZATION,
  paddingOf,
  TAR_END,
  tarHeader,
} from './tar.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The organization, or the version of the service that reads it, changed while it was archived. Nothing is wrong: the
 * archive is begun again.
 */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile'
}

interface ArchiveWriting {
  readonly source: ArchiveSource
  readonly openDigest: OpenDigest
  /** Called with the number of rows that were read so far; all rows are read twice. */
  readonly onProgress: (pass: 'measuring' | 'writing', rows: number) => void
}

/**
 * Makes an archive, piece by piece, in bounded memory. All rows are read twice: first they are counted and their digests
 * computed, because a tar file has the size of each file before its content; then they are given out. Every row of the
 * second reading is read after all of the first, so when both agree, nothing changed between the end of the first and
 * the beginning of the second: the archive is the state of that moment. Otherwise this throws `ChangedMeanwhile`, and
 * what was given out so far is no archive.
 */
export async function* writeArchive(writing: ArchiveWriting): AsyncGenerator<Bytes> {
  const { source, openDigest } = writing
  const head = await source.head()
  const manifest = await measured(head, writing)
  yield* wholeFile(MANIFEST, utf8(prettyJson(manifest)))
  const organization = organizationText(head)
  yield* wholeFile(ORGANIZATION, organization)
  let rows = 0
  for (const { file, bytes, sha256 } of manifest.files) {
    yield tarHeader({ name: file, bytes })
    const digest = openDigest()
    let given = 0
    for await (const page of pagesOf(source, file, digest)) {
      given += page.bytes.length
      if (given > bytes) throw new ChangedMeanwhile()
      yield page.bytes
      rows += page.rows
      writing.onProgress('writing', rows)
    }
    if ((await digest.end()) !== sha256) throw new ChangedMeanwhile()
    yield new Uint8Array(paddingOf(bytes))
  }
  if (prettyJson(await source.organization()) !== prettyJson(head.organization)) throw new ChangedMeanwhile()
  yield TAR_END
}

/** Reads everything once, for the manifest. */
async function measured(head: ArchiveHead, writing: ArchiveWriting): Promise<Manifest> {
  const { source, openDigest, onProgress } = writing
  const files: ArchivedFile[] = []
  let all = 0
  for (const { file, columns } of head.files) {
    const digest = openDigest()
    let [rows, bytes] = [0, 0]
    for await (const page of pagesOf(source, file, digest)) {
      if (!hasColumns(page.firstLine, columns)) throw new ChangedMeanwhile()
      rows += page.rows
      bytes += page.bytes.length
      onProgress('measuring', all + rows)
    }
    all += rows
    files.push({ file, columns: [...columns], rows, bytes, sha256: await digest.end() })
  }
  const digest = openDigest()
  const organization = organizationText(head)
  await digest.update(organization)
  return {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    organizationId: head.organization.organizationId,
    secrets: head.secrets,
    organization: { bytes: organization.length, sha256: await digest.end() },
    files,
  }
}

async function* pagesOf(
  source: ArchiveSource,
  file: string,
  digest: ArchiveDigest,
): AsyncGenerator<{ readonly bytes: Bytes; readonly rows: number; readonly firstLine: string }> {
  let after: ArchivePosition | null = null
  do {
    const { lines, rows, next } = await source.lines(file, after)
    const bytes = utf8(lines)
    await digest.update(bytes)
    yield { bytes, rows, firstLine: lines.slice(0, lines.indexOf('\n')) }
    after = next
  } while (after !== null)
}

/** Whether a page has the columns that the manifest names. All lines of a page come from one version of the service. */
function hasColumns(firstLine: string, columns: readonly string[]): boolean {
  return firstLine === '' || Object.keys(JSON.parse(firstLine) as object).join() === columns.join()
}

function* wholeFile(name: string, content: Bytes): Generator<Bytes> {
  yield tarHeader({ name, bytes: content.length })
  yield content
  yield new Uint8Array(paddingOf(content.length))
}

function organizationText({ organization }: ArchiveHead): Bytes {
  return utf8(prettyJson(organization))
}

function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The two calls by which the operator interface exports an organization. */
interface ExportCalls {
  readonly begin: () => Promise<ArchiveHead & { readonly token: string }>
  readonly read: (asked: {
    readonly token: string
    readonly file: string
    readonly after: ArchivePosition[number][] | null
  }) => Promise<ArchiveLines>
}

/** An organization to archive, behind the operator interface. Its head must be read first. No I/O before that. */
export function calledSource({ begin, read }: ExportCalls): ArchiveSource {
  let token = ''
  const lines: ArchiveSource['lines'] = (file, after) =>
    read({ token, file, after: after === null ? null : [...after] })
  return {
    async head() {
      const head = await begin()
      token = head.token
      return head
    },
    // Only the service writes this text.
    organization: async () => JSON.parse((await lines(ORGANIZATION, null)).lines) as OrganizationFile,
    lines,
  }
}
