import { useEffect, useState } from 'preact/hooks'

const PAUSE_MS = 300

/** A value that a person is writing, once it has not changed for a moment: not every letter is worth a request. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [value])
  return settled
}
