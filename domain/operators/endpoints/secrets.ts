import * as v from 'valibot'
import { hashesBySecret } from '../../access/secret-use.ts'
import { component, described } from '../../record/meaning.ts'
import type { ReplyOf } from '../../record/operation.ts'
import { jsonResponse, operation } from '../../record/operation.ts'
import { jsonReply, PRIVATE } from '../../record/reply.ts'
import type { OperatorRequestOf } from '../interface/serve.ts'
import type { OperatorWorld } from '../interface/world.ts'

/** Most keys and forms that are named. */
const NAMED_MAX = 50

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const Counts = v.strictObject({
  keys: described(count, 'Keys of all kinds that work.'),
  formPasswords: described(count, 'Passwords of forms.'),
})

const Status = component(
  'SecretsStatus',
  described(
    v.strictObject({
      current: described(Counts, 'Hashed under `ROOT_SECRET`.'),
      previous: described(Counts, 'Hashed under `ROOT_SECRET_PREVIOUS`; zero while no rotation lasts.'),
      lost: described(Counts, 'Hashed under a root secret that is neither: they do not work.'),
      underPrevious: described(
        v.array(
          v.strictObject({
            kind: described(v.picklist(['key', 'operator key', 'form']), 'What it is.'),
            id: v.string(),
            organizationId: described(
              v.nullable(v.string()),
              'Whose it is; null: nobody among the organizations.',
            ),
          }),
        ),
        `The first ${NAMED_MAX} of those that \`previous\` counts.`,
      ),
    }),
    'How far a rotation of the root secret has come.',
  ),
)

export const getSecrets = operation({
  id: 'secrets.status',
  method: 'GET',
  path: '/operator/v1/secrets',
  access: 'support',
  tag: 'Service',
  summary: 'Count keys and form passwords by root secret',
  description:
    'A key or password moves to the current root secret when it is used. A rotation can be ended when nothing is under the previous one: what was not used until then stops working.',
  responses: {
    200: jsonResponse('The counts.', Status, {
      current: { keys: 41, formPasswords: 3 },
      previous: { keys: 1, formPasswords: 0 },
      lost: { keys: 0, formPasswords: 0 },
      underPrevious: [{ kind: 'key', id: '3kTzB0n9QmVx', organizationId: 'acme' }],
    }),
  },
})

/** Answers `GET /operator/v1/secrets`. */
export async function serveSecrets(
  _request: OperatorRequestOf<typeof getSecrets>,
  { administration, secrets }: OperatorWorld,
): Promise<ReplyOf<typeof getSecrets>> {
  const { current, previous, lost } = await hashesBySecret(administration, secrets)
  const underPrevious =
    secrets.previous === null ? [] : await administration.findHashes(secrets.previous.version, NAMED_MAX)
  return jsonReply(200, { current, previous, lost, underPrevious: [...underPrevious] }, PRIVATE)
}
