/**
 * The service without a host, for programs that are built on the package: what they serve, what they make to serve it,
 * and the records that everything follows from. `host-worker/http/README.md` shows a whole program.
 */

// The two interfaces that need no operator, and the document of the public one.
export { publicApi } from './api.ts'
export { clientApi } from './forms/client-api.ts'
export type { Api, FailedRequest, Route } from './create-api.ts'
export { publicEndpoints } from './tenant-api.ts'
export { buildDocument } from './document/openapi.ts'
export type { EmptyReply, JsonReply, Reply, TextReply } from './record/reply.ts'
export type { Identity, RoutedRequest } from './record/reply.ts'

// What an interface needs to answer a request.
export type { World } from './tenant-api.ts'
export type { OpenSource, ReadWorld, Sources } from './read/serve.ts'
export type { SubmissionWorld } from './forms/submit.ts'
export type { FormCache } from './forms/submit.ts'
export { createFormCache } from './forms/submit.ts'
export type { RateLimiter } from './access/rate-limiter.ts'
export { createRateLimiter } from './access/rate-limiter.ts'

// Secrets, and the keys of organizations.
export type { Secrets, SecretVersion } from './access/secrets.ts'
export { openSecrets, rootSecretProblem } from './access/secrets.ts'
export type { IssuedKey, NewKey, PresentedKey } from './access/keys.ts'
export { hashKey, issueKey, readKey } from './access/keys.ts'
export { readBearer } from './access/authenticate.ts'

// Follow-up work after a submission.
export type { Delivery } from './jobs/deliver.ts'
export { deliver } from './jobs/deliver.ts'
export type { Swept } from './jobs/deliver.ts'
export { sweep } from './jobs/deliver.ts'
export type { JobWorld } from './jobs/work.ts'
export type { MailIdentity } from './messaging/sender.ts'

// Forms as operators write them.
export type { FormLine, FormLineReading } from './forms/language/check.ts'
export { FormLineInput, readFormLine } from './forms/language/check.ts'
export { formWarnings } from './forms/language/warnings.ts'
export { headlessSupport } from './forms/language/compile.ts'
export { hashFormPassword } from './forms/password.ts'

// The records of all collections, from which storage, answers, imports and documents follow.
export type { Endpoint } from './record/endpoint.ts'
export type { Field } from './record/field.ts'
export type { Resource, ResourceDeclaration, RowOf } from './record/resource.ts'
export { resourceOf, resources, writtenResources } from './resources/index.ts'

// The forms in which values are stored.
export { toBase64Url, fromBase64Url } from './text/encoding.ts'
export { emailKey } from './text/typed-text.ts'
export { parseInstant, toInstant } from './text/instant.ts'
export { phoneToE164 } from './text/phone-number.ts'
export { isSensitiveKey, withoutSensitiveKeys } from './text/sensitive-keys.ts'
