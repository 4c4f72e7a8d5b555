/**
 * Asks the port that a call is meant for, once it has been found, opened or loaded. It may answer with a `Failure` of
 * its own.
 */
export type Relay<Port, Failure = never> = <Answer>(
  ask: (port: Port) => Promise<Answer>,
) => Promise<Answer | Failure>

/** The names of what can be relayed: methods that answer with a promise, which may be of a `Failure`. */
type Relayable<Port, Failure> = {
  [Name in keyof Port]: Port[Name] extends (...given: never[]) => infer Answer
    ? Promise<Failure> extends Answer
      ? Name
      : never
    : never
}[keyof Port]

/** What a relayed port does itself: all that cannot be relayed, and whatever else it is to do in another way. */
export type Own<Port, Failure = never> = Partial<Port> & Omit<Port, Relayable<Port, Failure>>

type Method = (...given: readonly unknown[]) => Promise<unknown>

/** A port that passes every call on by a relay, except for what is its own. So it has no list of the port's methods. */
export function relayed<Port, Failure = never>(
  relay: Relay<Port, Failure>,
  ...[own]: object extends Own<Port, Failure> ? [own?: Own<Port, Failure>] : [own: Own<Port, Failure>]
): Port {
  // What is not the port's own is such a method: the types above see to that.
  const call =
    (name: keyof Port) =>
    (...given: readonly unknown[]) =>
      relay((port) => (port[name] as Method)(...given))
  return new Proxy({ ...own } as Port & object, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return target[name as keyof Port]
      // No port has a method `then`. With one, a port that an async function returns would be taken for a promise.
      return typeof name === 'string' && name !== 'then' ? call(name as keyof Port) : undefined
    },
    ownKeys() {
      throw new TypeError(
        'A relayed port does not know its methods, so it cannot be spread. Give `relayed` your own.',
      )
    },
  })
}
