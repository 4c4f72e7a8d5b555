import { useEffect, useState } from 'preact/hooks'

/** The messages that go away by themselves. Rendered once, by the shell. */
export function Toasts() {
  const toasts = useToasts()
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
          <button
            type="button"
            class="toast-close"
            aria-label="Dismiss"
            onClick={() => {
              dismissToast(id)
            }}
          >
            ×
          </button>
        </p>
      ))}
    </div>
  )
}

interface Toast {
  readonly id: number
  readonly text: string
}

const SHOWN_MS = 6_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<(toasts: readonly Toast[]) => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(next)
}

function remove(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

/** Says for a moment that something was done, also to a screen reader. */
export function toast(text: string): void {
  const id = (lastId += 1)
  change([...toasts, { id, text }])
  setTimeout(() => {
    remove(id)
  }, SHOWN_MS)
}

/** Removes a message before its time. */
const dismissToast = remove

/** The messages that are shown now. */
function useToasts(): readonly Toast[] {
  const [shown, setShown] = useState(toasts)
  useEffect(() => {
    listeners.add(setShown)
    return () => {
      listeners.delete(setShown)
    }
  }, [])
  return shown
}
