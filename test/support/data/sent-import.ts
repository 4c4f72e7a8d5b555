import { contentDigest, digestOfParts, sha256 } from '../../../domain/imports/file/transfer.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { OperatorClient } from '../services/operator/operator-client.ts'
import type { TestService } from '../services/service.ts'

/**
 * Opens an import of an organization and sends all of it, in one part. Nothing is written before it is committed.
 * @returns the id of the import; undefined: it was refused
 */
export async function sendImport(
  service: TestService,
  admin: OperatorClient,
  organizationId: string,
  kind: string,
  lines: readonly object[],
): Promise<string | undefined> {
  const part = utf8(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const own = await sha256(part)
  const digest = await digestOfParts([own])
  const all = `/organizations/${organizationId}/imports`
  const { body } = await admin.post(all, { kind, format: 'ndjson', totalBytes: part.length, digest })
  const { importId } = body as unknown as { readonly importId?: string }
  await service.send(`/operator/v1${all}/${importId ?? ''}/parts/1`, {
    method: 'PUT',
    key: admin.key,
    headers: { 'content-type': 'application/octet-stream', 'content-digest': contentDigest({ digest: own }) },
    body: part,
  })
  return importId
}
