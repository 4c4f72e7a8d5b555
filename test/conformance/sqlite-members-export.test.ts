import { beforeAll, describe, expect, test } from 'vitest'
import type { InstantRange, MembersQuery } from '../../ports/analytics.ts'
import { chanceOf, type Chance } from '../support/data/analytics/analytics-data.ts'
import { fakeClock } from '../support/runner/fakes.ts'
import { createScratchStorage, type ScratchStorage } from '../support/scratch/scratch-storage.ts'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { storedMembership } from '../../adapters/conformance/memberships.ts'

const MEMBERS = 1000
const ROWS_PER_CALL = 500

interface Member {
  readonly membershipId: string
  readonly signupDate: string | null
  readonly status: 'active' | 'churned'
}

function member(chance: Chance, index: number): Member {
  const kind = chance.below(10)
  const day = String(1 + chance.below(28)).padStart(2, '0')
  const month = String(1 + chance.below(12)).padStart(2, '0')
  const signupDate =
    kind < 3
      ? null
      : kind < 6
        ? '2025-01-31'
        : kind < 8
          ? `2025-03-${day}`
          : `202${chance.below(5)}-${month}-${day}`
  // The ids are not in the order in which they are imported.
  const membershipId = `m-${(index * 7919) % MEMBERS}`
  return { membershipId, signupDate, status: chance.of(40) ? 'churned' : 'active' }
}

async function save(storage: ScratchStorage, members: readonly Member[]): Promise<void> {
  for (let from = 0; from < members.length; from += ROWS_PER_CALL) {
    const rows = members
      .slice(from, from + ROWS_PER_CALL)
      .map((changes) => storedMembership(changes.membershipId, changes))
    await storage.tenant('org').upsert('memberships', rows)
  }
}

/** The ids of the members of a status within a range, in the order that sorting all members gives. */
function expectedOrder(
  members: readonly Member[],
  status: MembersQuery['status'],
  { start, end }: InstantRange,
): readonly string[] {
  const isIn = ({ signupDate }: Member) => {
    if (signupDate === null) return start === null && end === null
    const instant = `${signupDate}T00:00:00.000Z`
    return (start === null || instant >= start) && (end === null || instant <= end)
  }
  const key = ({ signupDate }: Member) => -Number((signupDate ?? '0').replaceAll('-', ''))
  return members
    .filter((one) => (status === null || one.status === status) && isIn(one))
    .sort((left, right) => key(left) - key(right) || (left.membershipId < right.membershipId ? -1 : 1))
    .map(({ membershipId }) => membershipId)
}

const ranges: readonly InstantRange[] = [
  { start: null, end: null },
  { start: '2025-01-31T00:00:00.000Z', end: null },
  { start: '2024-06-10T00:00:00.001Z', end: '2025-03-14T23:59:59.999Z' },
  { start: null, end: '2025-01-31T12:00:00.000Z' },
  { start: '2025-01-31T00:00:00.000Z', end: '2025-01-31T00:00:00.000Z' },
  { start: '2030-01-01T00:00:00.000Z', end: null },
  { start: null, end: '2019-12-31T23:59:59.999Z' },
]

describe('the member at an offset', () => {
  const storage = createScratchStorage({ clock: fakeClock() })
  const chance = chanceOf(1)
  let members = Array.from({ length: MEMBERS }, (_, index) => member(chance, index))

  beforeAll(async () => {
    await storage.administration.saveOrganization(organization('org'))
    await save(storage, members)
  })

  async function checkPages(): Promise<void> {
    const analytics = storage.analytics.open('org')
    for (const signup of ranges) {
      for (const status of [null, 'active', 'churned'] as const) {
        const order = expectedOrder(members, status, signup)
        const offsets = [
          0,
          1,
          order.length - 1,
          ...Array.from({ length: 4 }, () => chance.below(order.length + 10)),
        ]
        for (const offset of offsets.filter((one) => one >= 0)) {
          const found = await analytics.members({ status, signup, limit: 3, offset })
          const ids = found.map(({ membershipId }) => membershipId)
          const about = { status, signup, offset }
          expect([about, ids]).toEqual([about, order.slice(offset, offset + 3)])
        }
      }
    }
  }

  test('is the one that sorting everybody finds, whatever the status and the range', async () => {
    await checkPages()
  })

  test('is so too after members moved to other days and other statuses', async () => {
    for (let round = 0; round < 2; round += 1) {
      const changed = members.map((one, index) =>
        chance.of(30) ? { ...member(chance, index), membershipId: one.membershipId } : one,
      )
      const isNew = (one: Member, index: number) => one !== members[index]
      await save(storage, changed.filter(isNew))
      members = changed
    }
    await checkPages()
  })
})
