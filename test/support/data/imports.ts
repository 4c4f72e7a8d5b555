import {
  digestOfParts,
  partsOf,
  sha256,
  type ImportSource,
  type ReceivedPart,
  type ImportTarget,
  type TransferAnswer,
} from '../../../domain/imports/file/transfer.ts'
import type { ImportKind, ImportRecord, ImportTools } from '../../../domain/imports/kinds.ts'
import type { ImportWorld } from '../../../domain/imports/check.ts'
import type { ImportContext } from '../../../domain/record/field.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { ImportedFile, ImportSessions } from '../../../ports/import-sessions.ts'
import type { Organization } from '../../../ports/organizations.ts'
import type { StoredRow, TenantWriter } from '../../../ports/records.ts'
import { openImportWorld } from '../../../host-worker/http/world.ts'
import { fakeRandom } from '../runner/fakes.ts'

const unneeded = () => Promise.reject(new Error('not needed'))

/** Import tools for kinds that neither hash a password nor make an id. */
export function toolsWithoutSecrets(clock: Clock): ImportTools {
  return { passwords: { hash: unneeded, verify: unneeded }, clock, secrets: unneeded }
}

/** The imports of an organization in a storage. */
export function importWorld(
  storage: {
    imports(organizationId: string): ImportSessions
    tenant(organizationId: string): TenantWriter
  },
  organization: Organization,
  tools: ImportTools,
  pos: ImportWorld['pos'] = () => ({ refusal: 'There is no point of sale here.' }),
): ImportWorld {
  return openImportWorld(storage, organization, tools, pos, fakeRandom(++worlds))
}

/** Counts the worlds, so that each draws other ids. */
let worlds = 0

/** Lines as NDJSON. */
export function ndjsonBytes(lines: readonly object[]): Uint8Array<ArrayBuffer> {
  return utf8(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** An import source with these bytes. */
export function sourceOf(bytes: Uint8Array): ImportSource {
  return {
    async *open() {
      yield bytes
    },
  }
}

/** The row of a line of a new organization, completed as when it is written. Throws for a line that is refused. */
export async function rowOfLine(
  line: ImportRecord,
  kind: ImportKind,
  context: ImportContext,
): Promise<StoredRow> {
  const reading = kind.read(line, context)
  if ('issues' in reading) throw new Error(JSON.stringify(reading.issues[0]))
  const { completion } = kind
  if (completion === null) return reading.row
  return completion.complete(await completion.draft(reading.row, null), context, null)
}

/** Sends a file to an import in parts of any size, and has it written. Returns the last answer. */
export async function importInParts(
  target: ImportTarget,
  file: Pick<ImportedFile, 'kind' | 'format' | 'isDryRun'>,
  bytes: Uint8Array,
  partBytes: number,
): Promise<TransferAnswer> {
  const parts: ReceivedPart[] = []
  for await (const part of partsOf(sourceOf(bytes).open(), partBytes))
    parts.push({ part: parts.length + 1, bytes: part, digest: await sha256(part) })
  const digest = await digestOfParts(parts.map((part) => part.digest))
  let answer = await target.open({ ...file, totalBytes: bytes.length, digest })
  for (const part of parts) {
    if (!('session' in answer) || answer.session.state !== 'receiving') return answer
    answer = await target.part(answer.session.importId, part)
  }
  while ('session' in answer && ['receiving', 'writing'].includes(answer.session.state))
    answer = await target.commit(answer.session.importId)
  return answer
}
