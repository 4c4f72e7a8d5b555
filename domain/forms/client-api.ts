import type { FormDirectory } from '../../ports/records.ts'
import type { Api } from '../create-api.ts'
import { internalError, jsonReply, methodNotAllowed, notFound, type Reply } from '../record/reply.ts'
import { clientFormOf, clientSpeechOf } from './language/client-form.ts'
import { compileForm } from './language/compile.ts'
import { FORM_ID } from './language/definition.ts'

/** Pages of any website may read these replies. They hold nothing that a visitor of the form could not see. */
const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** A change of a form reaches every page within this time. */
const MAX_AGE_S = 60

/**
 * What the form client reads, and the schema of forms. It lies outside the contract, because it serves this project's own
 * client. A caller needs no key: a form is found by its id, as by the submission endpoint.
 */
export const clientApi: Api<ClientWorld> = {
  routes: [
    {
      id: 'forms.definition',
      method: 'GET',
      path: '/forms/{formId}/definition',
      judge,
      serve: async ({ params: { formId = '' } }, { forms }) => serveDefinition(formId, forms),
    },
    { id: 'forms.schema', method: 'GET', path: '/forms/schema.json', judge, serve: serveSchema },
  ],
  answerWrongMethod: async (allowed) => readable(methodNotAllowed(allowed)),
  answerFailure: async ({ requestId }) => readable(internalError(requestId)),
  answerUnknownRoute: async () => notFound(),
}

interface ClientWorld {
  readonly forms: FormDirectory
}

async function judge(_routed: unknown, _world: unknown, verdict: Reply): Promise<Reply> {
  return verdict
}

/** Answers `GET /forms/{formId}/definition`: a published form that can be submitted here, or 404. */
async function serveDefinition(formId: string, forms: FormDirectory): Promise<Reply> {
  const stored = FORM_ID.test(formId) ? await forms.find(formId) : null
  const compilation = stored?.isPublished === true ? compileForm(stored.definition) : null
  if (stored === null || compilation?.kind !== 'supported') return readable(notFound())
  const speech = await clientSpeechOf(stored.definition)
  return jsonReply(200, clientFormOf(compilation.form, stored.passwordHash !== null, speech), {
    ...ANY_ORIGIN,
    'cache-control': `public, max-age=${MAX_AGE_S}`,
  })
}

/** Answers `GET /forms/schema.json`, by which an editor completes and checks the file of a form. */
async function serveSchema(): Promise<Reply> {
  const { formSchema } = await import('./language/form-schema.ts')
  return jsonReply(200, formSchema(), { ...ANY_ORIGIN, 'cache-control': 'public, max-age=3600' })
}

function readable(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, ...ANY_ORIGIN } }
}
