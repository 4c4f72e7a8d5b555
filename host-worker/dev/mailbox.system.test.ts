import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExecutor } from '../../adapters/d1/executor.ts'
import { createMailbox, mailboxTables } from '../../adapters/local/index.ts'
import type { LocalD1 } from '../../test/support/databases/d1.ts'
import { openSharedD1 } from '../../test/support/databases/shared-d1.ts'
import { fakeClock } from '../../test/support/runner/fakes.ts'
import { serveMailbox } from './local-pages.ts'

let d1: LocalD1
beforeAll(async () => {
  d1 = await openSharedD1(1)
})
afterAll(() => d1.dispose())

test('the newest hundred messages are answered, and whether there are others', async () => {
  const database = await d1.next()
  const executor = createExecutor({ database, clock: fakeClock() })
  await executor.batch(mailboxTables.map((sql) => ({ sql, parameters: [] })))
  const mailbox = createMailbox(executor, fakeClock())
  const send = (count: number, from: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        mailbox.sms.send(
          { from: { kind: 'shortcode' }, to: '+12125550123', body: 'Hi', mediaUrls: [] },
          `key-${from + index}`,
        ),
      ),
    )
  const listed = async () => {
    const request = new Request('http://127.0.0.1/mailbox', { headers: { accept: 'application/json' } })
    const response = (await serveMailbox(request, mailbox)) as Response
    const { messages, isWhole } = (await response.json()) as {
      readonly messages: readonly unknown[]
      readonly isWhole: boolean
    }
    return [messages.length, isWhole]
  }
  await send(99, 0)
  expect(await listed()).toEqual([99, true])
  await send(1, 99)
  expect(await listed()).toEqual([100, true])
  await send(1, 100)
  expect(await listed()).toEqual([100, false])
})
