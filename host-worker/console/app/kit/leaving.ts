import { useEffect, useRef } from 'preact/hooks'

/** How many parts of the page have something that is not saved. */
let unsaved = 0

const QUESTION = 'There are changes that are not saved. Leave, and lose them?'

/** Whether this page may be left: nothing would be lost, or the person agrees to lose it. */
export function mayLeave(): boolean {
  return unsaved === 0 || window.confirm(QUESTION)
}

/**
 * Asks before the page is left while something is not saved: by a link, by the browser's buttons, or by closing the tab.
 * @returns takes note that all is saved, before the component is rendered again
 */
export function useLeaveWarning(isUnsaved: boolean): () => void {
  const release = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (!isUnsaved) return
    unsaved += 1
    const { href } = window.location
    const stopped = new AbortController()
    const { signal } = stopped
    release.current = () => {
      if (signal.aborted) return
      stopped.abort()
      unsaved -= 1
    }
    const onClose = (event: BeforeUnloadEvent): void => {
      event.preventDefault()
    }
    // The browser has left the address already when it says so. The router must not hear of it.
    const onBack = (event: PopStateEvent): void => {
      if (mayLeave()) return
      event.stopImmediatePropagation()
      window.history.pushState(null, '', href)
    }
    window.addEventListener('beforeunload', onClose, { signal })
    window.addEventListener('popstate', onBack, { signal, capture: true })
    return release.current
  }, [isUnsaved])
  return () => {
    release.current()
  }
}
