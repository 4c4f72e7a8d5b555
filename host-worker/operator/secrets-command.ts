import { hashesBySecret } from '../../domain/access/secret-use.ts'
import type { HashHolder } from '../../ports/administration.ts'
import type { Command } from './command.ts'

/** Most keys and forms that are named on standard error. */
const NAMED_MAX = 50

export const secretsStatus: Command = {
  words: ['secrets', 'status'],
  synopsis: '',
  summary: 'Count the keys and form passwords under the current and the previous root secret, as JSON',
  details: [
    'Counts keys that are not revoked, and the passwords of all forms. What is still under the previous root secret is',
    'named on standard error. A rotation can be ended when nothing is: what was not used until then stops working.',
  ],
  options: {},
  positionals: [],
  run: async (context) => {
    const { administration } = await context.storage()
    const secrets = await context.secrets()
    const { current, previous, lost } = await hashesBySecret(administration, secrets)
    context.out(JSON.stringify({ current, previous }))
    if (secrets.previous !== null) {
      const held = await administration.findHashes(secrets.previous.version, NAMED_MAX)
      for (const holder of held) context.note(`Under the previous root secret: ${described(holder)}.`)
      const more = previous.keys + previous.formPasswords - held.length
      if (more > 0) context.note(`And ${more} more.`)
    }
    if (lost.keys + lost.formPasswords > 0) {
      context.note(
        `Under neither root secret, so they do not work: keys ${lost.keys}, form passwords ${lost.formPasswords}.`,
      )
    }
  },
}

function described({ kind, id, organizationId }: HashHolder): string {
  return `${kind} ${id} of ${organizationId === null ? 'the platform' : `organization ${organizationId}`}`
}
