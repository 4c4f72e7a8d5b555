import { relayed, type Relay } from './relayed.ts'

// Compile-time promises about relayed ports; `tsc` checks them.

interface Plain {
  find(id: string): Promise<number | null>
  forget(): Promise<void>
}
interface Mixed extends Plain {
  readonly size: number
  open(id: string): Plain
}

declare const toPlain: Relay<Plain>
declare const toMixed: Relay<Mixed>
declare const opened: Plain

// Methods that answer with promises need nothing. One that is given has the parameters and the answer of the port's.
relayed(toPlain) satisfies Plain
relayed(toPlain, { find: async (id) => id.length }) satisfies Plain
// @ts-expect-error The answer is of another type.
relayed(toPlain, { find: async () => 'text' })

// Every other member must be given.
relayed(toMixed, { size: 1, open: () => opened }) satisfies Mixed
// @ts-expect-error `open` and `size` cannot be passed on.
relayed(toMixed)
// @ts-expect-error `open` cannot be passed on, because it answers with no promise.
relayed(toMixed, { size: 1 })
