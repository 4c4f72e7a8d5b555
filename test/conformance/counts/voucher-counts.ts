import assert from 'node:assert/strict'
import type { StoredRow } from '../../../ports/index.ts'
import type { StorageCase } from '../case.ts'
import { at, twoTenants, type TwoTenants } from '../fixtures.ts'

const voucher = (voucherId: string, groupId: string | null, changes: StoredRow = {}): StoredRow => ({
  voucherId,
  groupId,
  status: 'active',
  code: `code of ${voucherId}`,
  contactId: null,
  productId: null,
  amountOffCents: null,
  percentOff: 10,
  currency: null,
  maxRedemptions: null,
  expiresAt: null,
  createdAt: at(0),
  ...changes,
})

const group = (groupId: string): StoredRow => ({
  groupId,
  name: groupId,
  description: null,
  status: 'active',
  productId: null,
  amountOffCents: null,
  percentOff: null,
  currency: null,
  startsAt: null,
  expiresAt: null,
  createdAt: at(0),
})

const redemption = (redemptionId: string, voucherId: string, seconds: number): StoredRow => ({
  redemptionId,
  voucherId,
  groupId: null,
  contactId: null,
  siteId: null,
  amountCents: null,
  code: `code of ${voucherId}`,
  redeemedAt: at(seconds),
})

/** The values of some fields of one row of `org-a`. */
async function valuesOf(
  { tenant }: TwoTenants,
  collection: string,
  id: string,
  fields: readonly string[],
): Promise<readonly unknown[]> {
  const [row] = await tenant('org-a').findMany(collection, fields, [id])
  return fields.map((field) => row?.[field])
}

export const voucherCountCases: readonly StorageCase[] = [
  {
    name: 'a voucher counts its redemptions and its group the vouchers redeemed, whichever came first',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const ofVoucher = (id: string) =>
        valuesOf(storage, 'vouchers', id, ['redemptionCount', 'lastRedeemedAt'])
      const ofGroup = (id: string) =>
        valuesOf(storage, 'voucher-groups', id, ['voucherCount', 'redeemedCount'])

      await writer.upsert('voucher-redemptions', [
        redemption('r-1', 'early', 5),
        redemption('r-2', 'early', 3),
      ])
      await writer.upsert('vouchers', [
        voucher('early', 'g-1'),
        voucher('idle', 'g-1'),
        voucher('lone', null),
      ])
      await writer.upsert('voucher-groups', [group('g-1'), group('g-2')])
      assert.deepEqual(await ofVoucher('early'), [2, at(5)])
      assert.deepEqual(await ofVoucher('idle'), [0, null])
      assert.deepEqual(await ofGroup('g-1'), [2, 1])

      await writer.upsert('voucher-redemptions', [redemption('r-3', 'late', 7)])
      await writer.upsert('vouchers', [voucher('late', 'g-2')])
      assert.deepEqual(await ofVoucher('late'), [1, at(7)])
      assert.deepEqual(await ofGroup('g-2'), [1, 1])

      await storage.tenant('org-b').upsert('voucher-redemptions', [redemption('r-9', 'idle', 9)])
      assert.deepEqual(await ofGroup('g-1'), [2, 1])
      await writer.upsert('voucher-redemptions', [redemption('r-4', 'idle', 9), redemption('r-5', 'idle', 8)])
      assert.deepEqual(await ofVoucher('idle'), [2, at(9)])
      assert.deepEqual(await ofGroup('g-1'), [2, 2])
    },
  },
  {
    name: 'what moves to another voucher or group is counted there, and counted here no more',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      const ofGroup = (id: string) =>
        valuesOf(storage, 'voucher-groups', id, ['voucherCount', 'redeemedCount'])
      await writer.upsert('voucher-groups', [group('g-1'), group('g-2')])
      await writer.upsert('vouchers', [voucher('v-1', 'g-1'), voucher('v-2', 'g-2')])
      await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-1', 1)])
      assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[1, 1], [1, 0]]) // prettier-ignore
      await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-2', 2)])
      assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[1, 0], [1, 1]]) // prettier-ignore
      await writer.upsert('vouchers', [voucher('v-2', 'g-1')])
      assert.deepEqual([await ofGroup('g-1'), await ofGroup('g-2')], [[2, 1], [0, 0]]) // prettier-ignore
      await writer.upsert('vouchers', [voucher('v-2', null)])
      assert.deepEqual(await ofGroup('g-1'), [1, 0])
      await writer.upsert('vouchers', [voucher('v-2', 'g-2')])
      assert.deepEqual(await ofGroup('g-2'), [1, 1])
    },
  },
  {
    name: 'a redemption is a change of its voucher and, the first time, of the group: a sync sees both',
    async run(make) {
      const storage = await twoTenants(make)
      const writer = storage.tenant('org-a')
      await writer.upsert('voucher-groups', [group('g-1')])
      await writer.upsert('vouchers', [voucher('v-1', 'g-1')])
      const changedAt = async (collection: string, id: string) =>
        String((await valuesOf(storage, collection, id, ['updatedAt']))[0])
      const before = [await changedAt('vouchers', 'v-1'), await changedAt('voucher-groups', 'g-1')] as const
      storage.clock.ms += 1000
      await writer.upsert('voucher-redemptions', [redemption('r-1', 'v-1', 1)])
      const after = [await changedAt('vouchers', 'v-1'), await changedAt('voucher-groups', 'g-1')] as const
      assert(before[0] < after[0] && before[1] < after[1])
      assert.deepEqual(await writer.upsert('vouchers', [voucher('v-1', 'g-1')]), { changed: 0 })
      assert.deepEqual(await writer.upsert('voucher-groups', [group('g-1')]), { changed: 0 })
    },
  },
  {
    name: 'rows are counted as changed without those whose counts moved with them',
    async run(make) {
      const { tenant } = await twoTenants(make)
      const writer = tenant('org-a')
      await writer.upsert('voucher-groups', [group('g-1')])
      assert.deepEqual(await writer.upsert('vouchers', [voucher('v-1', 'g-1')]), { changed: 1 })
      const redemptions = [redemption('r-1', 'v-1', 1), redemption('r-2', 'v-1', 2)]
      assert.deepEqual(await writer.upsert('voucher-redemptions', redemptions), { changed: 2 })
    },
  },
]
