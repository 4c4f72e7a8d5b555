import { describe, expect, test } from 'vitest'
import { deliver } from '../../domain/jobs/deliver.ts'
import type { JobWorld } from '../../domain/jobs/work.ts'
import { openJobBench, type JobBench } from '../support/providers/jobs.ts'

const steps = [
  { type: 'send_email', to: 'contact', subject: 'Welcome', html: '<p>Hello</p>' },
  { type: 'add_tag', tag: 'vip' },
  { type: 'add_to_list', listId: 'list' },
  { type: 'send_sms', body: 'Hello' },
]

/** How a call breaks: it fails before it has any effect, fails after its effect, or takes effect and never returns. */
type Fault = 'before' | 'after' | 'hang'

/** A world in which one call to a port breaks: the one with number `at`, counted from 1 over all ports. */
function breaking(
  world: JobWorld,
  at: number,
  fault: Fault,
): { world: JobWorld; calls: () => readonly string[] } {
  const calls: string[] = []
  const wrap = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          calls.push(`${name}.${String(method)}`)
          const isBroken = calls.length === at
          if (isBroken && fault === 'before') throw new Error('Connection lost')
          const result: unknown = await Reflect.apply(value, target, args)
          if (isBroken && fault === 'hang') await new Promise(() => undefined)
          if (isBroken && fault === 'after') throw new Error('Connection lost')
          return result
        }
      },
    })
  const { outbox, email, sms } = world
  return {
    world: {
      ...world,
      outbox: { ...outbox, open: (organizationId) => wrap('outbox', outbox.open(organizationId)) },
      email: email === null ? null : wrap('email', email),
      sms: sms === null ? null : wrap('sms', sms),
    },
    calls: () => calls,
  }
}

/** Submits once, does the work in a world in which one call breaks, and lets the sweeps do the rest. */
async function broken(at: number, fault: Fault): Promise<{ bench: JobBench; calls: readonly string[] }> {
  const bench = await openJobBench(steps)
  const { world, calls } = breaking(bench.world, at, fault)
  const refs = await bench.submit('sub-1', ['one@example.com', 'two@example.com'])
  expect(refs).toHaveLength(3)
  for (const ref of refs) await deliver(ref, world).catch(() => undefined)
  const made = [...calls()]
  await assertTraced(bench)
  await bench.settle()
  return { bench, calls: made }
}

/** Whatever broke, each message that was delivered is in the log of sends. */
async function assertTraced({ email, sms, sends }: JobBench): Promise<void> {
  const recorded = new Set((await sends()).map(({ sendId }) => sendId))
  const delivered = [...email.delivered, ...sms.delivered].map(([key]) =>
    key.replace(/-without-reply-to$/, ''),
  )
  expect(delivered.filter((sendId) => !recorded.has(sendId))).toEqual([])
}

async function tagsOf({ storage }: JobBench): Promise<unknown> {
  const [row] = await storage.tenant('acme').findMany('contacts', ['tags'], ['ada'])
  return row?.tags
}

const unbroken = await broken(0, 'before')

test('unbroken, everything happens once', () => {
  expect(unbroken.calls).toHaveLength(20)
  expect(unbroken.bench.sms.delivered).toHaveLength(1)
})

const places = unbroken.calls.flatMap((call, index) =>
  (['before', 'after', 'hang'] as const).map((fault) => [index + 1, call, fault] as const),
)

describe.each(places)('call %i (%s) breaks: %s', (at, call, fault) => {
  test('nothing is lost, and nobody is told twice who need not be', async () => {
    const { bench } = await broken(at, fault)
    expect(await bench.storage.outboxOf('acme')).toEqual([])
    expect(bench.email.delivered.map(([, { to }]) => to).sort()).toEqual([
      'ada@example.com',
      'one@example.com',
      'two@example.com',
    ])
    // Text messages have no idempotency key, so one that may or may not have been sent is sent again.
    const isUncertain = fault !== 'before' && (call === 'sms.send' || isSavingOfSms(at))
    const isUnsaved = fault === 'before' && isSavingOfSms(at)
    expect(bench.sms.delivered).toHaveLength(call === 'sms.send' && isUncertain ? 2 : isUnsaved ? 2 : 1)
    expect(await tagsOf(bench)).toEqual(['old', 'vip'])
    const [list] = await bench.storage.tenant('acme').findMany('contact-lists', ['contactCount'], ['list'])
    expect(list?.contactCount).toBe(1)
    const [run] = await bench.storage
      .tenant('acme')
      .findMany('automation-runs', ['status', 'currentStep'], ['run_sub-1_1'])
    expect(run).toEqual({ status: 'completed', currentStep: 4 })
    const sends = await bench.sends()
    expect(sends.map(({ to, outcome }) => `${to} ${outcome}`).sort()).toEqual([
      '+12125550123 accepted',
      'ada@example.com accepted',
      'one@example.com accepted',
      'two@example.com accepted',
    ])
  })
})

/** Whether this call saves the step that sent the text message. */
function isSavingOfSms(at: number): boolean {
  return unbroken.calls[at - 2] === 'sms.send'
}

/** Like `broken`, with one notification whose reply address the provider refuses. */
async function brokenTypo(at: number, fault: Fault): Promise<{ bench: JobBench; calls: readonly string[] }> {
  const bench = await openJobBench()
  const { world, calls } = breaking(bench.world, at, fault)
  const refs = await bench.submit('sub-1', ['one@example.com'], { email: 'ada@nowhere.invalid' })
  for (const ref of refs) await deliver(ref, world).catch(() => undefined)
  const made = [...calls()]
  await assertTraced(bench)
  await bench.settle()
  return { bench, calls: made }
}

const typo = await brokenTypo(0, 'before')

test('unbroken, an email with a mistyped address for replies is handed over twice and delivered once', () => {
  expect(typo.calls).toEqual(['outbox.claim', 'outbox.begin', 'email.send', 'email.send', 'outbox.settle'])
})

test.each(
  typo.calls.flatMap((call, index) =>
    (['before', 'after', 'hang'] as const).map((fault) => [index + 1, call, fault] as const),
  ),
)('with a mistyped address for replies, call %i (%s) breaks: %s', async (at, _call, fault) => {
  const { bench } = await brokenTypo(at, fault)
  expect(await bench.storage.outboxOf('acme')).toEqual([])
  expect(bench.email.delivered.map(([, { to, replyTo }]) => [to, replyTo])).toEqual([
    ['one@example.com', null],
  ])
  expect(await bench.sends()).toMatchObject([{ to: 'one@example.com', outcome: 'accepted' }])
})
