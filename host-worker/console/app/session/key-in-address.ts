const KEY_FRAGMENT = /^#((?:ok|ck)_live_[\w-]+)$/

/**
 * Takes the key out of the address, where the link of `npm start` has it, before anything else can see it there. Null:
 * there is none.
 */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location
  const key = KEY_FRAGMENT.exec(hash)?.[1] ?? null
  if (key !== null) window.history.replaceState(null, '', pathname + search)
  return key
}
