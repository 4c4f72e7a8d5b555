import { NO_HASHES, sumOfHashes } from '../../../domain/access/secret-use.ts'
import { getSecrets } from '../../../domain/operators/endpoints/keys/secrets.ts'
import type { AnswerTo, OperatorService } from '../client/service/operator-service.ts'
import { failOnMissing, noteUnfinished } from '../client/pages.ts'
import type { Command } from '../command/command.ts'

const statusCommand: Command = {
  words: ['secrets', 'status'],
  positionals: [],
  flags: {},
  summary: 'Count the keys and form passwords under the current and the previous root secret, as JSON',
  details: [
    'Counts keys that work, of all kinds, and the passwords of all forms. What is still under the previous root secret',
    'is named on standard error. A rotation can be ended when nothing is: what was not used until then stops working.',
  ],
  examples: [''],
  operations: [getSecrets],
  run: async (context) => {
    const service = await context.service()
    const { current, previous, lost, underPrevious, unanswered, unfinished } = await statusOf(service)
    context.out(JSON.stringify({ current, previous }))
    for (const holder of underPrevious) context.note(`Under the previous root secret: ${described(holder)}.`)
    const more = previous.keys + previous.formPasswords - underPrevious.length
    if (more > 0) context.note(`And ${more} more.`)
    if (lost.keys + lost.formPasswords > 0) {
      context.note(
        `Under neither root secret, so they do not work: keys ${lost.keys}, form passwords ${lost.formPasswords}.`,
      )
    }
    noteUnfinished(unfinished, context.note)
    failOnMissing(unanswered)
  },
}

type Status = AnswerTo<typeof getSecrets>['body']
type WholeStatus = Required<Omit<Status, 'nextCursor'>>

/** The totals over all databases. The service counts in only some of them with each request. */
async function statusOf(service: OperatorService): Promise<WholeStatus> {
  let all: WholeStatus = {
    ...NO_HASHES,
    underPrevious: [],
    unanswered: [],
    unfinished: [],
  }
  let cursor: string | undefined
  do {
    const { body }: { readonly body: Status } = await service.call(
      getSecrets,
      cursor === undefined ? {} : { query: { cursor } },
    )
    all = {
      ...sumOfHashes(all, body),
      underPrevious: [...all.underPrevious, ...body.underPrevious],
      unanswered: [...all.unanswered, ...(body.unanswered ?? [])],
      unfinished: [...all.unfinished, ...(body.unfinished ?? [])],
    }
    cursor = body.nextCursor
  } while (cursor !== undefined)
  return all
}

type Holder = Status['underPrevious'][number]

function described({ kind, id, organizationId }: Holder): string {
  if (kind === 'operator key') return `${kind} ${id}`
  return `${kind} ${id} of ${organizationId === null ? 'the platform' : `organization ${organizationId}`}`
}

export const commands = [statusCommand]
