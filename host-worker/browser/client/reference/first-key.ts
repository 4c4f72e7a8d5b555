import type { Properties, System } from './swagger-ui.ts'

/** Puts the cursor into the first field for a key. By itself it lands in the last, and most people have a tenant key. */
export function firstKeyPlugin({ React }: System): unknown {
  const withFirstKey = (original: unknown) => (properties: Properties) => {
    React.useEffect(() => {
      document.querySelector<HTMLInputElement>('.auth-container input')?.focus()
    }, [])
    return React.createElement(original, properties)
  }
  return { wrapComponents: { authorizationPopup: withFirstKey } }
}
