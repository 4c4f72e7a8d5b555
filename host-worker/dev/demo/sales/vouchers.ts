import { createDraw } from '../draw.ts'
import { siteIds } from '../sites.ts'

const COUNT = 40
const SEED = 40_2026
const GROUP_ID = 'demo-spring'

/** Vouchers that the demo issued together. */
export const voucherGroupLines: readonly object[] = [
  {
    groupId: GROUP_ID,
    name: 'Spring shine',
    description: 'Handed out at the fair: five dollars off any wash.',
    status: 'active',
    amountOffCents: 500,
    currency: 'USD',
    startsAt: '2026-03-01T05:00:00Z',
    expiresAt: '2027-03-01T05:00:00Z',
    createdAt: '2026-02-20T15:00:00Z',
  },
]

interface DemoVoucher {
  readonly voucherId: string
  readonly code: string
  readonly groupId: string | null
  readonly isRedeemed: boolean
  readonly createdAt: string
}

/** The demo's vouchers. Three in four belong to the group, and one in three was redeemed. */
function demoVouchers(): readonly DemoVoucher[] {
  const draw = createDraw(SEED)
  return Array.from({ length: COUNT }, (_, index) => {
    const number = String(index + 1).padStart(3, '0')
    return {
      voucherId: `demo-voucher-${number}`,
      code: `SHINE-${number}-${1000 + draw.below(9000)}`,
      groupId: index % 4 === 3 ? null : GROUP_ID,
      isRedeemed: index % 3 === 0,
      createdAt: draw.instant(),
    }
  })
}

/** The demo's vouchers as import lines. */
export function voucherLines(): readonly object[] {
  return demoVouchers().map(({ isRedeemed, ...voucher }) => ({
    ...voucher,
    status: isRedeemed ? 'redeemed' : 'active',
    ...(voucher.groupId === null ? { percentOff: 12.5 } : { amountOffCents: 500, currency: 'USD' }),
    maxRedemptions: 1,
  }))
}

/** One redemption of each redeemed voucher, some days after the voucher was made. */
export function redemptionLines(): readonly object[] {
  const draw = createDraw(SEED + 1)
  return demoVouchers()
    .filter(({ isRedeemed }) => isRedeemed)
    .map(({ voucherId, code, groupId, createdAt }) => ({
      redemptionId: voucherId.replace('voucher', 'redemption'),
      voucherId,
      groupId,
      code,
      siteId: draw.pick(siteIds),
      amountCents: groupId === null ? null : 500,
      redeemedAt: new Date(Date.parse(createdAt) + (1 + draw.below(20)) * 86_400_000).toISOString(),
    }))
}
