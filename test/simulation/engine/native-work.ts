import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises'

/** The methods of WebCrypto that the service uses. They run on other threads, so their order would be left to chance. */
const METHODS = ['importKey', 'deriveKey', 'deriveBits', 'sign', 'digest', 'encrypt', 'decrypt'] as const

/** Follows work that the platform does beside this thread. */
export interface NativeWork {
  /** Waits until nothing goes on any more but what waits for the scheduler. */
  settled(): Promise<void>
  /** Gives the platform back as it was. */
  stop(): void
}

type AnyMethod = (...given: unknown[]) => Promise<unknown>

/**
 * Makes WebCrypto of this process answer in the order in which it was asked, and counts what it still owes. Everything else
 * that a request waits for is either a port, which the scheduler owns, or a promise that is fulfilled within the same turn of
 * the event loop.
 */
export function followNativeWork(): NativeWork {
  const { subtle } = crypto
  const methods = subtle as unknown as Record<string, AnyMethod>
  let pending = 0
  let last: Promise<unknown> = Promise.resolve()
  for (const name of METHODS) {
    const method = methods[name]
    if (method === undefined) throw new Error(`WebCrypto has no method ${name}`)
    const value = (...given: unknown[]): Promise<unknown> => {
      pending += 1
      const result = Reflect.apply(method, subtle, given)
      const inTurn = last.then(() => result)
      last = inTurn.catch(() => undefined)
      return inTurn.finally(() => {
        pending -= 1
      })
    }
    Object.defineProperty(subtle, name, { value, configurable: true })
  }
  return {
    async settled() {
      do await turnOfTheEventLoop()
      while (pending > 0)
    },
    stop() {
      for (const name of METHODS) Reflect.deleteProperty(subtle, name)
    },
  }
}
