import type { PartProps } from '../part.ts'
import { OutboxTable } from './outbox-table.tsx'

/** The outbox of one organization. */
export function Page({ organizationId }: PartProps) {
  return <OutboxTable organizationId={organizationId} />
}
