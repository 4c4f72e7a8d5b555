/** Asks the port that a call is meant for, once it has been found, opened or loaded. */
export type Relay<Port> = <Answer>(ask: (port: Port) => Promise<Answer>) => Promise<Answer>

/** The names of what can be relayed: methods that answer with a promise. */
type Relayable<Port> = {
  [Name in keyof Port]: Port[Name] extends (...given: never[]) => Promise<unknown> ? Name : never
}[keyof Port]

/** What a relayed port does itself: all that cannot be relayed, and whatever else it is to do in another way. */
type Own<Port> = Partial<Port> & Omit<Port, Relayable<Port>>

type Method = (...given: readonly unknown[]) => Promise<unknown>

/**
 * A port that passes every call on by a relay, except for what is its own. So there is no list of the port's methods to
 * keep, and nobody can ask it for one: where ports are told apart by what they have, they must be written out.
 */
export function relayed<Port>(
  relay: Relay<Port>,
  ...[own]: object extends Own<Port> ? [own?: Own<Port>] : [own: Own<Port>]
): Port {
  // What is not the port's own is such a method: the types above see to that.
  const call =
    (name: keyof Port): Method =>
    (...given) =>
      relay((port) => (port[name] as Method)(...given))
  return new Proxy({ ...own } as Port & object, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return target[name as keyof Port]
      // No port has a method `then`. With one, a port that an async function returns would be taken for a promise.
      return typeof name === 'string' && name !== 'then' ? call(name as keyof Port) : undefined
    },
    has: refuseToList,
    ownKeys: refuseToList,
  })
}

function refuseToList(): never {
  throw new TypeError(
    'A relayed port does not know its methods, so it cannot be spread or looked into. Give `relayed` what differs.',
  )
}
