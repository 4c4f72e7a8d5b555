import type { OperatorClient } from '../services/operator/operator-client.ts'

/** SHA-256 of nothing. */
export const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Begun {
  readonly token: string
  readonly organization: { readonly row: object }
  readonly files: readonly { readonly file: string; readonly columns: readonly string[] }[]
}

/** Begins an export of the organization acme. */
export async function begunExport(admin: OperatorClient): Promise<Begun> {
  return (await admin.post('/organizations/acme/export', {})).body as unknown as Begun
}

/** A request to restore acme from an archive with no rows but this many sites. */
export async function restoreRequest(admin: OperatorClient, sites: number) {
  const { organization, files } = await begunExport(admin)
  const counted = files.map((file) => ({
    ...file,
    rows: file.file === 'rows/sites.ndjson' ? sites : 0,
    bytes: 0,
    sha256: NOTHING,
  }))
  const manifest = {
    format: 'tenant-data-archive',
    version: 1,
    organizationId: 'acme',
    secrets: false,
    organization: { bytes: 0, sha256: NOTHING },
    files: counted,
  }
  return { archive: 'acme.tar', digest: NOTHING, manifest, organization, formIds: [] }
}
