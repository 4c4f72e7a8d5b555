import { useState } from 'preact/hooks'
import { countText } from '../kit/text.ts'
import { readListed } from '../service/listed.ts'
import { useQuery } from '../service/use-query.ts'

/** How much came in through a form, in words. */
export type Counts = (formId: string) => string

const SPAN_MS = 30 * 86_400_000

/** Counts what came in through each form of an organization in the last 30 days, as far as a few pages tell. */
export function useCounts(organizationId: string): Counts {
  const [since] = useState(() => new Date(Date.now() - SPAN_MS).toISOString())
  const reading = useQuery(`counts of ${organizationId}`, (client, signal) => {
    const call = { params: { organizationId } }
    return readListed(client, 'submissions.list', call, signal, ({ submittedAt }) => submittedAt >= since)
  })
  if (reading.state !== 'ready') return () => 'Submissions'
  const { items, isWhole } = reading.data
  const byForm = Map.groupBy(
    items.filter(({ submittedAt }) => submittedAt >= since),
    ({ formId }) => formId,
  )
  return (formId) => {
    const count = byForm.get(formId)?.length ?? 0
    return `${countText(count)}${isWhole ? '' : ' or more'} ${count === 1 ? 'submission' : 'submissions'}`
  }
}
