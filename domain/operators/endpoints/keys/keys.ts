import { KEY_PREFIXES } from '../../../access/api-key.ts'
import { component, described, worded } from '../../../record/operation/meaning.ts'
import { jsonResponse, operation } from '../../../record/operation/operation.ts'
import * as v from 'valibot'
import { jsonBody } from '../../interface/body.ts'
import { pageOf, pageParameters, samplePagination } from '../../interface/list.ts'
import { KeySettings, Overlap, ExpiresAt } from '../../key-settings.ts'
import {
  instant,
  IssuedKeyBody,
  PublishedKey,
  SAMPLE_KEY_END,
  sampleIssued,
  sampleKey,
} from '../schemas/key-schema.ts'

const settings = jsonBody(KeySettings, { label: 'nightly sync', scope: 'read', ratePerMinute: 600 })
const page = pageOf('KeyPage', PublishedKey)
const samplePage = { data: [sampleKey], pagination: samplePagination }
const ISSUING = 'The answer is the only one that shows the key. What is left out leaves the key unlimited.'
const LISTING = 'Oldest first, those included that do not work any more.'
const samplePlatformKey = { ...sampleKey, kind: 'platform', organizationId: null, scope: 'send' } as const
const sampleIssuedToPlatform = {
  ...samplePlatformKey,
  key: KEY_PREFIXES.platform + SAMPLE_KEY_END,
}

const ofTenant = { path: '/operator/v1/organizations/{organizationId}/keys', tag: 'Keys' } as const
const ofPlatform = { path: '/operator/v1/platform-keys', tag: 'Keys' } as const

export const issueTenantKey = operation({
  id: 'keys.issue',
  ...ofTenant,
  method: 'POST',
  access: 'admin',
  action: 'key.issue',
  summary: 'Issue a key of an organization',
  description: ISSUING,
  body: settings,
  responses: {
    201: jsonResponse('The key.', IssuedKeyBody, sampleIssued),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})

export const listTenantKeys = operation({
  id: 'keys.list',
  ...ofTenant,
  method: 'GET',
  access: 'support',
  summary: 'List the keys of an organization',
  description: LISTING,
  query: pageParameters,
  responses: { 200: jsonResponse('A page of keys.', page, samplePage), 400: 'BadRequest', 404: 'NotFound' },
})

export const issuePlatformKey = operation({
  id: 'platformKeys.issue',
  ...ofPlatform,
  method: 'POST',
  access: 'admin',
  action: 'key.issue',
  summary: 'Issue a key of the platform',
  description: `The two sends alone accept it. ${ISSUING}`,
  body: settings,
  responses: {
    201: jsonResponse('The key.', IssuedKeyBody, sampleIssuedToPlatform),
    400: 'BadRequest',
    409: 'Conflict',
  },
})

export const listPlatformKeys = operation({
  id: 'platformKeys.list',
  ...ofPlatform,
  method: 'GET',
  access: 'support',
  summary: 'List the keys of the platform',
  description: LISTING,
  query: pageParameters,
  responses: {
    200: jsonResponse('A page of keys.', page, { ...samplePage, data: [samplePlatformKey] }),
    400: 'BadRequest',
  },
})

export const revokeKey = operation({
  id: 'keys.revoke',
  method: 'POST',
  path: '/operator/v1/keys/{keyId}/revoke',
  access: 'admin',
  action: 'key.revoke',
  tag: 'Keys',
  summary: 'Revoke a key',
  description:
    'A key of an organization or of the platform. It fails on its very next request. Revoking it again changes nothing.',
  responses: { 204: { description: 'It is revoked.' }, 404: 'NotFound' },
})

const OVERLAP =
  'For how long the key works beside its successor: minutes (`30m`), hours (`12h`) or days (`7d`).'

const Rotation = v.strictObject({
  overlap: worded(described(Overlap, OVERLAP), { hint: OVERLAP, initial: '7d' }),
  expiresAt: v.exactOptional(described(ExpiresAt, 'The end of the successor; left out: that of the key.')),
})

const RotatedKey = component(
  'RotatedKey',
  described(
    v.strictObject({
      ...IssuedKeyBody.entries,
      replacedKeyId: described(v.string(), 'The key that was replaced.'),
      replacedEndsAt: described(instant, 'When that one ends by itself.'),
    }),
    'The successor of a key.',
  ),
)

export const rotateKeyEndpoint = operation({
  id: 'keys.rotate',
  method: 'POST',
  path: '/operator/v1/keys/{keyId}/rotate',
  access: 'admin',
  action: 'key.rotate',
  tag: 'Keys',
  summary: 'Issue the successor of a key',
  description:
    'The successor has the label, scope, rate and end of the key, which ends by itself after the overlap. A key has one successor at most.',
  body: jsonBody(Rotation, { overlap: '7d' }),
  responses: {
    201: jsonResponse('The successor.', RotatedKey, {
      ...sampleIssued,
      replacedKeyId: '8LwR1yZpAq0d',
      replacedEndsAt: '2026-03-08T14:00:00.000Z',
    }),
    400: 'BadRequest',
    404: 'NotFound',
    409: 'Conflict',
  },
})
