/**
 * The kinds of events that a world must go through to find mistakes in them. A long run of fresh seeds in which one of
 * them never happened proves less than it seems.
 */
export const eventKinds = [
  'a submission is saved',
  'a submission is refused at the limit',
  'a submission finds its contact by the phone',
  'a contact gets no phone because another one has it',
  'a submission is spam by its content',
  'a text comes too often',
  'a network floods a form',
  'a submission is like what was marked as spam',
  'spam is released',
  'a submission is gathered into a digest',
  'a digest is sent',
  'a submission is marked as spam',
  'a mark is taken back',
  'two people disagree about a submission',
  'a webhook is made',
  'a webhook is changed',
  'a webhook has another secret',
  'a webhook is deleted',
  'a webhook is told of a row',
  'a webhook is told again',
  'a webhook takes what it is told, and its answer is lost',
  'a webhook that is gone is switched off',
  'a call of a webhook is verified',
  'two secrets sign',
  'a delivery is put off',
  'a delivery is sent again',
  'a delivery is given up',
  'a delivery is dropped because its webhook is off',
  'a form is replaced',
  'rows are imported again as they are',
  'a contact unsubscribes',
  'an automation passes over a contact who has unsubscribed',
  'a run fails',
  'a message is handed over again',
  'a provider recognises a message',
  'a send is repeated with its key',
  'a send that was cut off is taken over',
  'an entry is put off',
  'a message of an automation waits for a bound',
  'an entry waits as long as the provider asked',
  'an entry is given up',
  'an entry is retried by an operator',
  'an entry is not retried while it is being worked on',
  'an entry is taken over from a worker that did not finish',
  'an import is refused',
  'a damaged part is refused',
  'a key is replaced',
  'a key is not replaced that has ended',
  'a key is revoked that works',
  'a key is revoked that was replaced',
  'a key is revoked that has expired',
  'a key is revoked that was revoked',
  'a key is revoked again after an answer was lost',
  'a key that has ended is tried',
  'a forged key is tried',
  'a key is tried beyond its scope',
  'a key is used beyond its rate',
  'a key is hashed under the new root secret',
  'a move switches',
  'a move is done',
  'a move is aborted',
  'an attempt to switch is given back',
  'an attempt to switch is given back after sealing',
  'a mover takes a move over',
  'a move is tidied up',
  'an isolate dies between two calls of a move',
  'a mover stalls for longer than it has its lease',
  'a call of a move fails or its answer is lost',
  'a move is to be aborted between two of its calls',
  'an alarm is lost',
  'an organization is made',
  'an organization gets another parent',
  'an organization is saved during a move',
  'an organization that passes is filled',
  'a person is erased',
  'a row is deleted',
  'a submission is removed because it is old',
  'an organization is exported',
  'an organization is deleted',
  'an organization is restored',
  'a copy with removals is compared',
] as const

/** Kinds of events that only some hundred runs come across. */
export const rareEventKinds: ReadonlySet<EventKind> = new Set([
  'an attempt to switch is given back after sealing',
  'a send that was cut off is taken over',
  'a submission is like what was marked as spam',
  'a webhook that is gone is switched off',
  'a delivery is given up',
  'a delivery is dropped because its webhook is off',
])

export type EventKind = (typeof eventKinds)[number]

/** How often each kind of event happened. */
export type Counts = ReadonlyMap<EventKind, number>

export interface Coverage {
  readonly happened: (kind: EventKind) => void
  counts(): Counts
}

export function createCoverage(): Coverage {
  const counts = new Map<EventKind, number>()
  return {
    happened(kind) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    },
    counts: () => counts,
  }
}
