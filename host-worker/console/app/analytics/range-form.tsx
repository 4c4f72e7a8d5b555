import { useEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/input/field.tsx'
import { useChoices } from './choices.ts'

/** The days of all reports. */
export function RangeForm() {
  const [choices, choose] = useChoices()
  const [start, setStart] = useState(choices.start)
  const [end, setEnd] = useState(choices.end)
  useEffect(() => {
    setStart(choices.start)
    setEnd(choices.end)
  }, [choices.start, choices.end])
  const isReversed = start !== '' && end !== '' && end < start
  return (
    <form
      class="card filters"
      aria-label="Days"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReversed) choose({ start, end })
      }}
    >
      <TextField
        label="First day"
        hint="Days are those of UTC."
        type="date"
        value={start}
        onValue={setStart}
      />
      <TextField
        label="Last day"
        hint="It is included."
        type="date"
        value={end}
        onValue={setEnd}
        error={isReversed ? 'This day is before the first one.' : null}
      />
      <div class="buttons">
        <Button type="submit" kind="primary">
          Show
        </Button>
        <Button
          onClick={() => {
            setStart('')
            setEnd('')
            choose({ start: '', end: '' })
          }}
        >
          All days
        </Button>
      </div>
    </form>
  )
}
