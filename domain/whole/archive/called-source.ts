import type { ArchivePosition } from '../../../ports/archives.ts'
import type { OrganizationFile } from './format.ts'
import { ORGANIZATION } from './names.ts'
import type { ArchiveHead, ArchiveLines, ArchiveSource } from './source.ts'

/** The two calls by which the operator interface exports an organization. */
export interface ExportCalls {
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
