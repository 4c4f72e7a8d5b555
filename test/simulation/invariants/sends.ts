import type { HandedOver } from '../service/processes/handed-over.ts'
import { textOf, type ChangeCheck, type Watch } from './watch.ts'

/** How much earlier than the simulation's clock a key may be forgotten, in ms, because clocks differ. */
const CLOCKS_DIFFER_MS = 600_000

interface SendWatch extends Watch {
  readonly email: HandedOver
  readonly sms: HandedOver
}

/** Checks that the log of sends tells what the providers did. */
export function createSendChecks({ violated, happened, nowMs, email, sms }: SendWatch): ChangeCheck {
  return (changes) => {
    for (const { table, isHome, before, after } of changes) {
      if (table === 'send_requests' && isHome && before !== null && after !== null) {
        const isSame = before.send_prefix === after.send_prefix
        if (isSame && before.holder !== after.holder) happened('a send that was cut off is taken over')
      }
      if (table === 'send_requests' && isHome && before !== null && after === null)
        if (Date.parse(textOf(before.expires_at)) > nowMs() + CLOCKS_DIFFER_MS)
          violated('a key of a send is known for a day', JSON.stringify(before))
      if (table !== 'sends' || !isHome) continue
      const named = JSON.stringify(after ?? before)
      if (before?.outcome === 'accepted') violated('a send that was accepted stays so', named)
      if (after?.outcome === 'pending') continue
      if (after?.outcome !== 'accepted') {
        if (textOf(after?.error) === '') violated('a send that failed says why', named)
        continue
      }
      const id = textOf(after.provider_id)
      const message = (after.channel === 'email' ? email : sms).withId(id)
      const isTold = message !== undefined && message.to === after.recipient && message.from === after.sender
      // An email whose provider names none gets the id of the send.
      if (!isTold && id !== after.send_id && after.provider_id !== null)
        violated('the log of sends tells what was delivered', `${named}: ${JSON.stringify(message)}`)
    }
  }
}
