import { expect, test } from 'vitest'
import type { AuditOutcome } from '../../ports/operators.ts'
import type { OperatorWorld } from './world.ts'
import { followChange } from './change.ts'

/** Follows a change and keeps the outcomes that are recorded for it. */
function followed() {
  const outcomes: AuditOutcome[] = []
  const audit = {
    record: async ({ outcome }: { readonly outcome: AuditOutcome }) => void outcomes.push(outcome),
    settle: async (_auditId: string, outcome: AuditOutcome) => void outcomes.push(outcome),
  }
  // Following a change uses nothing else of the world.
  const world = {
    audit,
    clock: { nowMs: () => 0 },
    random: { bytes: (length: number) => new Uint8Array(length) },
  } as unknown as OperatorWorld
  const operator = {
    keyId: 'k',
    name: 'ada',
    role: 'admin',
    expiresAt: null,
    person: null,
    organizations: null,
    roles: [],
    session: null,
  } as const
  return { outcomes, change: followChange('organization.move', operator, { organizationId: 'acme' }, world) }
}

test('a change is recorded once, when the request has ended', async () => {
  const { outcomes, change } = followed()
  await change.record('done')
  expect(outcomes).toEqual(['done'])
})

test('a request that could not be read is no change', async () => {
  const { outcomes, change } = followed()
  await change.record(null)
  expect(outcomes).toEqual([])
})

test.each([
  ['done', 'done'],
  ['failed', 'failed'],
  [null, 'refused'],
] as const)(
  'a change that was announced is recorded as failed before, and as %s it is settled',
  async (ended, outcome) => {
    const { outcomes, change } = followed()
    await change.announce({ type: 'move', id: null })
    expect(outcomes).toEqual(['failed'])
    await change.record(ended)
    expect(outcomes).toEqual(['failed', outcome])
  },
)
