import { dismissToast, useToasts } from './toasts.ts'

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
