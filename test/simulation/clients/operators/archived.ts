import type { ArchiveHead, ArchiveLines, OrganizationFile } from '../../../../domain/organizations/archive.ts'
import { ORGANIZATION } from '../../../../domain/organizations/tar.ts'
import { readArchive } from '../../../../domain/organizations/read-archive.ts'
import { ChangedMeanwhile, writeArchive } from '../../../../domain/organizations/write-archive.ts'
import { openNodeDigest } from '../../../../host-worker/operator/commands/archive-files.ts'
import type { Row } from '../../engine/changes.ts'
import { namesNobody } from '../../invariants/passing.ts'
import { textOf } from '../../invariants/watch.ts'
import { passing } from '../../setting.ts'
import { bodyOf, type Client } from '../client.ts'
import { begins, insist, type Archive, type Life } from '../life.ts'

/** The files that are archived. The others would be empty. */
const FILES = /^rows\/(contacts|forms|form-submissions|removals)\.ndjson$/
/** The tables whose rows are compared after restoring. */
const COMPARED = { contacts: 'contactId', forms: 'formId', form_submissions: 'submissionId' } as const

/** How long a restoration waits that is to be tried again, in ms. */
const AGAIN_MS = 10_000

/** For how long lines of an export are given, in ms, but for what clocks differ. */
const EXPORT_MS = 86_400_000 - 60_000

/** Lines were asked for in vain for so long that the export has ended. */
class ExportEnded extends Error {}

/** Exports the organization. When it changes meanwhile, or cannot be read for a day, there is no archive this time. */
export async function exportAgain(life: Life, client: Client): Promise<void> {
  let token = ''
  const begunMs = client.nowMs()
  const lines = async (file: string, after: ArchiveLines['next']) => {
    const answer = await insist(null, '/export/lines', { token, file, after }, client)
    if (answer.status === 400 && client.nowMs() - begunMs > EXPORT_MS) throw new ExportEnded()
    return bodyOf(answer) as ArchiveLines
  }
  const pieces: Uint8Array<ArrayBuffer>[] = []
  const archive = writeArchive({
    openDigest: openNodeDigest,
    onProgress: () => undefined,
    source: {
      lines,
      organization: async () => JSON.parse((await lines(ORGANIZATION, null)).lines) as OrganizationFile,
      async head() {
        const begun = bodyOf(await insist('organization.export', '/export', {}, client))
        ;({ token } = begun as { readonly token: string })
        const head = begun as ArchiveHead
        return { ...head, files: head.files.filter(({ file }) => FILES.test(file)) }
      },
    },
  })
  const people = Array.from({ length: life.people }, (_, index) => index + 1)
  const isIn = (number: number) => !client.reference.passing.erased.has(number)
  try {
    for await (const piece of archive) pieces.push(piece)
  } catch (error) {
    if (error instanceof ChangedMeanwhile || error instanceof ExportEnded) return
    throw error
  }
  life.archive = { name: `archive-${client.nowMs()}`, pieces, people: people.filter(isIn) }
  client.happened('an organization is exported')
}

/** Restores the organization from its last archive. */
export async function restoreAgain(life: Life, client: Client): Promise<void> {
  const { archive } = life
  if (archive === null) return
  // An archive has whoever was erased after it was made. They are stored again until they are erased again, before anybody
  // can read them.
  const { erased } = client.reference.passing
  const erasedSince = archive.people.filter((number) => erased.delete(number))
  const rows: Row[] = []
  let begin: object = {
    archive: archive.name,
    formIds: await formIdsOf(archive),
    place: client.decide.pick('place', ['shared', 'own']),
  }
  let restoreId = ''
  const call = async (path: string, body: object, action: string | null = 'organization.restore') => {
    let answer = await insist(action, path, body, client)
    // While a version is deployed, a database that an isolate of before has made lacks its columns. While another
    // organization imports forms, their ids are not known.
    while (/A later version of the service wrote it|imports forms\. Try again/.test(answer.text)) {
      await client.pause(AGAIN_MS)
      answer = await insist(action, path, body, client)
    }
    if (answer.status !== 200)
      client.violated('an archive can be restored', `${path}: ${answer.status} ${answer.text}`)
    return bodyOf(answer) as { readonly restoreId: string; readonly endedAt: string | null }
  }
  for await (const piece of readArchive(streamed(archive), openNodeDigest)) {
    if (piece.kind === 'manifest') begin = { ...begin, manifest: piece.manifest, digest: piece.digest }
    else if (piece.kind === 'organization')
      ({ restoreId } = await call('/restore', { ...begin, organization: piece.organization }))
    else {
      const { part, file, lines } = piece
      rows.push(...lines.map((line) => ({ ...(JSON.parse(line) as Row), file })))
      await call(`/restore/${restoreId}/parts`, { part, file, lines: [...lines] }, null)
    }
  }
  let endedAt: string | null = null
  while (endedAt === null) ({ endedAt } = await call(`/restore/${restoreId}/finish`, {}))
  begins(life, client)
  for (const number of erasedSince) {
    erased.add(number)
    namesNobody(client.stored, number, client.violated)
  }
  checkRestored(rows, life, client)
  client.happened('an organization is restored')
}

async function formIdsOf(archive: Archive): Promise<readonly string[]> {
  const formIds: string[] = []
  for await (const piece of readArchive(streamed(archive), openNodeDigest))
    if (piece.kind === 'part' && piece.file === 'rows/forms.ndjson')
      formIds.push(...piece.lines.map((line) => textOf((JSON.parse(line) as Row).formId)))
  return formIds
}

async function* streamed({ pieces }: Archive) {
  yield* pieces
}

/**
 * Checks that every row of the archive is there again, and no other, and that none has changed but those of people whose
 * erasure was asked for.
 */
function checkRestored(rows: readonly Row[], { erasing }: Life, { stored, violated }: Client): void {
  for (const [table, idField] of Object.entries(COMPARED)) {
    const column = idField.replace(/Id$/, '_id')
    const archived = rows.filter(({ file }) => file === `rows/${table.replaceAll('_', '-')}.ndjson`)
    const restored = new Map(
      stored
        .rowsOf(passing.organizationId, table)
        .map((row) => [textOf(row[column]), textOf(row.updated_at)] as const),
    )
    const isAsItWas = (row: Row) => {
      const [id, updatedAt] = [textOf(row[idField]), textOf(row.updatedAt)]
      const now = restored.get(id)
      const mayBeErased = erasing.has(Number(/^person-(\d+)/.exec(id)?.[1]))
      return now === updatedAt || (mayBeErased && now !== undefined && now > updatedAt)
    }
    const other = archived.find((row) => !isAsItWas(row))
    if (other !== undefined || archived.length !== restored.size)
      violated(
        'a restored organization is as it was',
        `${table}: ${JSON.stringify([...restored])}, not ${JSON.stringify(other ?? archived)}`,
      )
  }
}
