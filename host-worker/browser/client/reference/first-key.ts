import type { Properties, System } from './swagger-ui.ts'

/**
 * A plugin that moves the focus to the first field for a key. The viewer focuses the last one, but most people have a
 * tenant key, which is the first.
 */
export function firstKeyPlugin({ React }: System): unknown {
  const withFirstKey = (original: unknown) => (properties: Properties) => {
    React.useEffect(() => {
      document.querySelector<HTMLInputElement>('.auth-container input')?.focus()
    }, [])
    return React.createElement(original, properties)
  }
  return { wrapComponents: { authorizationPopup: withFirstKey } }
}
