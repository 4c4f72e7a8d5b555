import { organizationIds, visitors } from '../setting.ts'
import type { Client } from './client.ts'
import { bodyOf } from './client.ts'

interface Results {
  readonly results: readonly { readonly to: string; readonly success: boolean }[]
}

/** A client that sends email with an organization's key. */
export async function mail(client: Client): Promise<void> {
  for (let number = 1; !client.isOver(); number += 1) {
    await sendOne(`${client.name} ${number}`, client)
    await client.rest()
  }
}

async function sendOne(subject: string, client: Client): Promise<void> {
  const { decide, reference } = client
  const organizationId = decide.pick('sender', organizationIds)
  const key = reference.keys.findLast(
    (known) => known.organizationId === organizationId && known.state === 'works',
  )
  if (key === undefined) return
  const to = visitors.slice(0, 1 + decide.below('more recipients', 3)).map(({ email }) => email)
  const body = JSON.stringify({ to, subject, html: '<p>News</p>' })
  const answer = await client.send({ method: 'POST', path: '/api/v1/email', key: key.text, body })
  if (answer === null || answer.status >= 500) return
  if (answer.status !== 200 && answer.status !== 207) {
    if (key.state === 'works')
      client.violated('a good key sends', `${key.keyId}: ${answer.status} ${answer.text}`)
    return
  }
  for (const result of (bodyOf(answer) as Results).results) {
    if (result.success) reference.sent.push({ subject, to: result.to })
  }
}
