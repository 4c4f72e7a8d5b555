interface ProgressProps {
  /** What is making progress. */
  readonly label: string
  /** How much is done, from 0 to `most`; null: nobody knows. */
  readonly done: number | null
  readonly most: number
}

/** A bar that shows how far something is. */
export function ProgressBar({ label, done, most }: ProgressProps) {
  return <progress aria-label={label} {...(done === null || most === 0 ? {} : { value: done, max: most })} />
}
