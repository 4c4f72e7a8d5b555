import { TextField } from '../kit/input/field.tsx'

interface ExpiryProps {
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** When a key ends, by the reader's clock. */
export function ExpiryField(props: ExpiryProps) {
  return <TextField label="Expires" type="datetime-local" {...props} />
}

/** The end that was written, as the operations take it: left out when none was. */
export function expiryOf(written: string): { readonly expiresAt?: string } {
  return written === '' ? {} : { expiresAt: new Date(written).toISOString() }
}
