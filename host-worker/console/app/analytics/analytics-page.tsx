import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Cancellations, CancellationSurvey } from './cancellation-reports.tsx'
import { Cohorts } from './cohort-report.tsx'
import { Members } from './members-report.tsx'
import { RetentionOffers } from './offer-report.tsx'
import type { Range } from './report.tsx'

/** The five reports about memberships, of a range of days that is in the address. */
export function Page() {
  const search = useSearch()
  const given = new URLSearchParams(search)
  const range = { start: given.get('start') ?? '', end: given.get('end') ?? '' }
  return (
    <>
      <PageHeader title="Analytics" />
      <RangeForm key={search} range={range} />
      <Cancellations range={range} />
      <CancellationSurvey range={range} />
      <RetentionOffers range={range} />
      <Cohorts range={range} />
      <Members range={range} />
    </>
  )
}

function RangeForm({ range }: { readonly range: Range }) {
  const [, navigate] = useLocation()
  const [start, setStart] = useState(range.start)
  const [end, setEnd] = useState(range.end)
  return (
    <form
      class="card filters"
      aria-label="Days"
      onSubmit={(event) => {
        event.preventDefault()
        const chosen = Object.entries({ start, end }).filter(([, day]) => day !== '')
        navigate(`/analytics?${new URLSearchParams(chosen).toString()}`)
      }}
    >
      <TextField label="From" type="date" value={start} onValue={setStart} />
      <TextField label="To" type="date" value={end} onValue={setEnd} />
      <div class="buttons">
        <Button type="submit">Show</Button>
      </div>
    </form>
  )
}
