import { useEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'

type Theme = 'light' | 'dark'

/** The only thing that the console stores, and only when somebody chose it. */
const STORED_AS = 'console-theme'

/** Shows the stored choice of light or dark. Without one, the console follows the system. */
export function followTheme(): void {
  const show = (): void => {
    document.documentElement.dataset.theme = storedTheme() ?? systemTheme()
  }
  window.matchMedia(DARK).addEventListener('change', show)
  show()
}

/** Changes between light and dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(() => storedTheme() ?? systemTheme())
  const other: Theme = theme === 'dark' ? 'light' : 'dark'
  useEffect(() => {
    const system = window.matchMedia(DARK)
    const follow = (): void => {
      if (storedTheme() === null) setTheme(systemTheme())
    }
    system.addEventListener('change', follow)
    return () => {
      system.removeEventListener('change', follow)
    }
  }, [])
  const change = (): void => {
    setTheme(other)
    document.documentElement.dataset.theme = other
    try {
      window.localStorage.setItem(STORED_AS, other)
    } catch {
      // Without storage the choice ends with the page.
    }
  }
  return (
    <Button kind="quiet" onClick={change}>
      {other === 'dark' ? 'Dark' : 'Light'}
    </Button>
  )
}

const DARK = '(prefers-color-scheme: dark)'

function systemTheme(): Theme {
  return window.matchMedia(DARK).matches ? 'dark' : 'light'
}

function storedTheme(): Theme | null {
  try {
    const stored = window.localStorage.getItem(STORED_AS)
    return stored === 'light' || stored === 'dark' ? stored : null
  } catch {
    return null
  }
}
