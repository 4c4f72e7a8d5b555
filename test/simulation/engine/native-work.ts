import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises'

/**
 * The methods of WebCrypto that the service uses. They run on other threads, so their order would be left to chance.
 */
const METHODS = ['importKey', 'deriveKey', 'deriveBits', 'sign', 'digest', 'encrypt', 'decrypt'] as const

/** Tracks work that the platform does on other threads. */
export interface NativeWork {
  /** Waits until all remaining work waits for the scheduler. */
  settled(): Promise<void>
  /** Restores the platform's own methods. */
  stop(): void
}

type AnyMethod = (...given: unknown[]) => Promise<unknown>

/**
 * Makes WebCrypto of this process answer in the order of its calls, and counts the calls without an answer. Everything
 * else for which a request waits is either a port, which the scheduler controls, or a promise that is fulfilled within
 * the same turn of the event loop.
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
