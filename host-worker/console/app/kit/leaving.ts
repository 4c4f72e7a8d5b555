import { useEffect, useRef } from 'preact/hooks'

/** How many parts of the page have something that is not saved, and the address of the last of them. */
const unsaved = { parts: 0, href: '' }

const QUESTION = 'There are changes that are not saved. Leave, and lose them?'

/** Whether this page may be left: nothing would be lost, or the person agrees to lose it. */
export function mayLeave(): boolean {
  return unsaved.parts === 0 || window.confirm(QUESTION)
}

/**
 * Asks when the browser's buttons leave a page with something unsaved. Called once, before the router listens: the
 * browser has another address already when it says so, and the router must not hear of it.
 */
export function watchBack(): void {
  window.addEventListener('popstate', (event) => {
    if (mayLeave()) return
    event.stopImmediatePropagation()
    window.history.pushState(null, '', unsaved.href)
  })
}

/**
 * Asks before the page is left while something is not saved: by a link, by the browser's buttons, or by closing the tab.
 * @returns takes note that all is saved, before the component is rendered again
 */
export function useLeaveWarning(isUnsaved: boolean): () => void {
  const release = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (!isUnsaved) return
    unsaved.parts += 1
    unsaved.href = window.location.href
    const onClose = (event: BeforeUnloadEvent): void => {
      event.preventDefault()
    }
    window.addEventListener('beforeunload', onClose)
    release.current = () => {
      release.current = () => undefined
      unsaved.parts -= 1
      window.removeEventListener('beforeunload', onClose)
    }
    return () => {
      release.current()
    }
  }, [isUnsaved])
  return () => {
    release.current()
  }
}
