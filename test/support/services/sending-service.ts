import { expect } from 'vitest'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { SendRecord } from '../../../ports/messaging.ts'
import { validatorOf } from '../contract/contract-validator.ts'
import { fakeEmail, fakeSms } from '../providers/jobs.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { PlaceChoice } from '../../../ports/placement.ts'
import { createScratchStorage, type ScratchStorage } from '../scratch/scratch-storage.ts'
import { openTestService, type TestService } from './service.ts'

/** The sender domain of a test service, and the operator's name. */
const mail = { domain: 'mail.example.com', brand: 'Brand' }

/** Bodies of requests to send. */
export const message = { to: '+12125550123', body: 'Hi' }
export const email = { to: 'ada@example.com', subject: 'Hi', html: '<p>Hi</p>' }

/** An answer to a request to send. */
export interface SendAnswer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: { readonly success?: boolean; readonly results?: readonly object[]; readonly error?: string }
}

/** A service whose providers record messages, with organizations that send. */
export interface SendingService {
  readonly service: TestService
  readonly storage: ScratchStorage
  readonly mails: ReturnType<typeof fakeEmail>
  readonly texts: ReturnType<typeof fakeSms>
  /** Keys of an organization in the United States, of one in Germany, of one without a sender, and of the operator. */
  readonly keys: {
    readonly key: string
    readonly otherKey: string
    readonly bareKey: string
    readonly platformKey: string
  }
  /** Posts JSON and checks the answer against the contract document. */
  readonly post: (
    endpoint: OperationEndpoint,
    body: unknown,
    withKey?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<SendAnswer>
  /** How many messages the providers have accepted. */
  readonly delivered: () => number
  /** The recorded sends of an organization, or of the operator (null), newest first. */
  readonly logged: (owner: string | null) => Promise<readonly SendRecord[]>
}

/**
 * Opens a sending service on an empty storage in memory.
 * @param choice where its organizations live; left out: where those of all tests do
 */
export async function openSendingService(choice?: PlaceChoice): Promise<SendingService> {
  const mails = fakeEmail()
  const texts = fakeSms()
  let storage: ScratchStorage | undefined
  const open = (clock: Clock) => (storage = createScratchStorage({ clock, ...(choice && { choice }) }))
  const service = await openTestService(open, undefined, {
    email: mails.sender,
    sms: texts.sender,
    mail,
  })
  const key = await service.addOrganization('acme', {
    name: 'Acme, Inc.',
    slug: 'acme',
    smsNumber: '+12125550100',
  })
  const otherKey = await service.addOrganization('other', {
    name: 'Andere',
    slug: 'other',
    smsNumber: '+4930123456',
    phoneCountry: 'DE',
  })
  const bareKey = await service.addOrganization('bare')
  const platformKey = await service.addPlatformKey()
  if (storage === undefined) throw new Error('The storage was not opened')
  return {
    service,
    storage,
    mails,
    texts,
    keys: { key, otherKey, bareKey, platformKey },
    async post(endpoint, body, withKey = key, headers = {}) {
      const response = await service.send(endpoint.path, {
        key: withKey,
        headers,
        json: body,
      })
      const answer = (await response.json()) as SendAnswer['body']
      expect(validatorOf(endpoint, response.status)(answer)).toEqual([])
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answer }
    },
    delivered: () => mails.delivered.length + texts.delivered.length,
    logged: (owner) => service.storage.sends.open(owner).list(null, 1000),
  }
}
