import type { PartProps } from '../part.ts'
import { usePages } from '../service/use-pages.ts'
import { SendsTable } from './sends-table.tsx'

/** What an organization sent. */
export function Page({ organizationId }: PartProps) {
  return <SendsTable sends={usePages('sends.list', { params: { organizationId } })} />
}
