import type { Properties, System } from './swagger-ui.ts'

/** Moves the focus to the first field for a key. The viewer focuses the last one, but most people have a tenant key. */
export function firstKeyPlugin({ React }: System): unknown {
  const withFirstKey = (original: unknown) => (properties: Properties) => {
    React.useEffect(() => {
      document.querySelector<HTMLInputElement>('.auth-container input')?.focus()
    }, [])
    return React.createElement(original, properties)
  }
  return { wrapComponents: { authorizationPopup: withFirstKey } }
}
