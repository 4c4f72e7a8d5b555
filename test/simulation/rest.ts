import type { Stored } from './engine/database.ts'
import { checkAtRest } from './invariants.ts'
import { AUTOMATION_STEPS } from './setting.ts'
import type { World } from './world.ts'

/** The longest pause between two attempts is twelve hours, and a provider may ask for six more. */
const REST_MAX_MS = 20 * 3_600_000

/**
 * Mends everything but what is never mended, and lets the world come to rest. Within bounded time, all that does not need the
 * part that stays broken must be done; then everything that was promised must have come true.
 */
export async function comeToRest(world: World): Promise<void> {
  const { universe, clients, service, reference } = world
  const { faults, trace, stored, violated } = universe
  faults.mend()
  trace.say(
    '----',
    `faults end${faults.neverMended === null ? '' : `; the ${faults.neverMended} stays broken`}`,
  )
  const broken = faults.neverMended === 'queue' ? null : faults.neverMended
  if (!(await quieten(world, broken))) return
  const failed = entriesOf(stored, broken).filter(({ status }) => status === 'failed')
  const unexpected = failed.find(({ lastError }) => !lastError.includes('Given up'))
  if (unexpected !== undefined)
    violated('no entry fails but by its provider', `${unexpected.outboxId}: ${unexpected.lastError}`)
  await finish(clients.retry(failed.map(({ outboxId }) => outboxId)), world)
  if (!(await quieten(world, broken))) return
  const isSynced = await finish(clients.syncAll(), world)
  if (isSynced === false) violated('a forward sync comes to an end', 'although nothing is broken any more')
  checkAtRest({
    stored,
    reference,
    email: service.email,
    sms: service.sms,
    broken,
    isCalm: faults.isCalm,
    violated,
  })
}

/** Waits until nothing is left to be done. False: something was violated. */
async function quieten(world: World, broken: 'email' | 'sms' | null): Promise<boolean> {
  const { universe, clients } = world
  const { scheduler, stored, violated } = universe
  const untilMs = scheduler.nowMs() + REST_MAX_MS
  for (;;) {
    const [session] = stored.look("select import_id from import_sessions where state = 'writing' limit 1")
    const waiting = entriesOf(stored, broken).find(({ status }) => status === 'pending')
    const isAtRest = clients.active() === 0 && session === undefined && waiting === undefined
    if (isAtRest && !world.isDeploying()) return true
    if (scheduler.nowMs() > untilMs) {
      const what = waiting?.outboxId ?? (session === undefined ? `${clients.active()} clients` : 'an import')
      violated('everything comes to an end', `${what} after ${REST_MAX_MS / 3_600_000} hours without faults`)
    }
    if (!(await world.step())) return false
  }
}

/** Lets events happen until a client's work has come to its end. Null: something was violated before. */
async function finish<Value>(work: Promise<Value>, world: World): Promise<Value | null> {
  const ended: Value[] = []
  void work.then((value) => ended.push(value))
  for (;;) {
    const [value] = ended
    if (value !== undefined) return value
    if (!(await world.step())) return null
  }
}

interface Entry {
  readonly outboxId: string
  readonly status: string
  readonly lastError: string
}

/** The entries that are not done, without those that wait for the provider that stays broken. */
function entriesOf(stored: Stored, broken: 'email' | 'sms' | null): readonly Entry[] {
  const rows = stored.look(
    `select b.outbox_id, b.status, b.last_error, b.kind, r.current_step from outbox as b left join automation_runs as r
      on r.organization_id = b.organization_id and r.run_id = b.outbox_id`,
  )
  const waits = (kind: unknown, step: unknown) =>
    broken !== null &&
    ((kind === 'notification_email' && broken === 'email') || step === AUTOMATION_STEPS[broken])
  return rows
    .filter(({ kind, current_step: step }) => !waits(kind, step))
    .map((row) => ({
      outboxId: String(row.outbox_id),
      status: String(row.status),
      lastError: String(row.last_error),
    }))
}
