import { expect, test } from 'vitest'
import { createResendSender } from '../../adapters/email-resend/index.ts'
import { createClickHouseExitSurvey } from '../../adapters/exit-survey-clickhouse/index.ts'
import { openDubLinks } from '../../adapters/links-dub/index.ts'

import { createTwilioSender } from '../../adapters/sms-twilio/index.ts'
import { systemDeadline } from '../../host-worker/system.ts'
import type { Clock } from '../../ports/platform.ts'
import { createScratchStorage } from '../support/scratch/scratch-storage.ts'
import { openTestService } from '../support/services/service.ts'

// A mistake in an adapter looks to callers like a provider that does not answer. The log must tell the two apart.

/** Not a function, so calling it throws a TypeError. */
const mistake = undefined as unknown
const host = {
  baseUrl: 'https://provider.example',
  fetch: async () => new Response('{}', { status: 500 }),
  deadline: systemDeadline,
  clock: { nowMs: mistake } as Clock,
}

/** A clock that advances one second at every reading, so that the test need not wait for pauses between attempts. */
function passingClock(): Clock {
  let nowMs = Date.parse('2026-06-15T12:00:00.000Z')
  return { nowMs: () => (nowMs += 1_000) }
}

async function openService() {
  const exitSurvey = createClickHouseExitSurvey({
    ...host,
    user: 'u',
    password: 'p',
    database: 'd',
    table: mistake as string,
  })
  const links = openDubLinks({ ...host, apiKey: 'k' }, 'acme')
  const service = await openTestService(
    (clock) => ({ ...createScratchStorage({ clock }), exitSurvey }),
    undefined,
    {
      email: createResendSender({ ...host, apiKey: 'k' }),
      sms: createTwilioSender({ ...host, accountSid: 's', authToken: 't', shared: { shortcode: '12345' } }),
      clock: passingClock(),
      mail: { domain: 'mail.example.com', brand: 'Brand' },
      sources: { links: () => links, pos: () => null },
    },
  )
  const key = await service.addOrganization('acme', {
    slug: 'acme',
    smsNumber: '+12125550100',
    analytics: true,
  })
  return { service, key }
}

const email = { to: 'ada@example.com', subject: 'Hi', html: '<p>Hi</p>' }
const text = { to: '+12125550123', body: 'Hi' }

test.each([
  ['POST', '/api/v1/email', email, 'send_broke', 'email-resend'],
  ['POST', '/api/v1/message', text, 'send_broke', 'sms-twilio'],
  ['GET', '/api/v1/links', null, 'source_unavailable', 'links-dub'],
  ['GET', '/api/v1/cancellation-survey', null, 'exit_survey_unavailable', 'exit-survey-clickhouse'],
] as const)('%s %s: the log names the place of the mistake', async (method, path, body, event, adapter) => {
  const { service, key } = await openService()
  const response = await service.send(path, { method, key, json: body ?? undefined })
  expect(await response.text()).not.toContain('TypeError')
  await service.settled()
  const lines = service.logLines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(lines.filter((line) => line.event === event)).toEqual([
    expect.objectContaining({
      errorName: 'TypeError',
      errorAt: expect.stringContaining(`adapters/${adapter}/`) as string,
    }),
  ])
  // The log names the place of the error, and neither the message's text nor its recipient.
  expect(service.logLines.join()).not.toMatch(/ada@|5550123|<p>/)
})
