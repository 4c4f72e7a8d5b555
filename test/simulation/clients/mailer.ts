import { organizationIds, visitors } from '../setting.ts'
import { bodyOf, type Client } from './client.ts'
import type { Answer } from '../service/processes/network.ts'

interface Results {
  readonly results: readonly { readonly to: string; readonly success: boolean }[]
}

/** How often a request with an idempotency key is repeated while no results come, and within which time. */
const REPEATED_MAX = 3
const REPEATED_WITHIN_MS = 700_000

/** Whether it is not known what became of a request; 409 says that the first one is still at work. */
function isUnanswered(answer: Answer | null): boolean {
  return answer === null || answer.status >= 500 || answer.status === 409
}

/** A client that sends email and text messages with an organization's key. */
export async function mail(client: Client): Promise<void> {
  for (let number = 1; !client.isOver(); number += 1) {
    const subject = `${client.name} ${number}`
    if (client.decide.chance('sends text messages', 40)) await sendTexts(subject, client)
    else await sendEmails(subject, client)
    await client.rest()
  }
}

/** Sends to some recipients; the first one is sometimes named twice. */
async function sendEmails(subject: string, client: Client): Promise<void> {
  const to = recipients(client).map(({ emails: [email] }) => email)
  const [first = ''] = to
  const twice = client.decide.chance('names somebody twice', 20) ? [first.toUpperCase()] : []
  const all = [...to, ...twice]
  const results = await send(
    '/api/v1/email',
    { to: all, subject, html: '<p>News</p>' },
    'email',
    subject,
    client,
  )
  checkOrder(results, all, client)
}

async function sendTexts(body: string, client: Client): Promise<void> {
  const to = recipients(client).map(({ phones: [phone] }) => phone)
  const useShortcode = client.decide.chance('uses the short code', 30)
  const results = await send('/api/v1/message', { to, body, useShortcode }, 'sms', body, client)
  checkOrder(results, to, client)
}

function recipients({ decide }: Client) {
  const first = decide.below('first recipient', visitors.length)
  return visitors.slice(first, first + 1 + decide.below('more recipients', 3))
}

function checkOrder(results: Results['results'] | null, to: readonly string[], client: Client): void {
  const named = results?.map((result) => result.to)
  if (named !== undefined && named.join() !== to.join())
    client.violated(
      'the results of a send are in the order of its recipients',
      `${named.join()}, not ${to.join()}`,
    )
}

async function send(
  path: string,
  body: object,
  channel: 'email' | 'sms',
  title: string,
  client: Client,
): Promise<Results['results'] | null> {
  const { decide, reference } = client
  const organizationId = decide.pick('sender', organizationIds)
  const key = reference.workingKey(organizationId, 'send')
  if (key === undefined) return null
  const isKeyed = decide.chance('sends with an idempotency key', 60)
  reference.mailings.set(title, { organizationId, isKeyed })
  const headers = isKeyed ? { 'idempotency-key': title } : {}
  const request = { method: 'POST', path, key: key.text, headers, body: JSON.stringify(body) } as const
  let answer = await client.send(request)
  for (
    let count = 0;
    isKeyed && isUnanswered(answer) && count < REPEATED_MAX && !client.isOver();
    count += 1
  ) {
    await client.pause(decide.delayMs('repeats a send', REPEATED_WITHIN_MS))
    answer = await client.send(request)
    client.happened('a send is repeated with its key')
  }
  if (answer === null || isUnanswered(answer)) return null
  if (answer.status !== 200 && answer.status !== 207) {
    if (key.state === 'works')
      client.violated('a good key sends', `${key.keyId}: ${answer.status} ${answer.text}`)
    return null
  }
  const { results } = bodyOf(answer) as Results
  for (const { to, success } of results)
    reference.sent.push({ channel, title, to, organizationId, isAccepted: success })
  return results
}
