import { createDraw } from '../draw.ts'
import { siteIds } from '../sites.ts'

const COUNT = 60
const SEED = 60_2026
const REFUND_DELAY_MS = 2 * 86_400_000

interface Ware {
  readonly productId: string
  readonly name: string
  readonly unitPriceCents: number
}

const wares: readonly [Ware, ...Ware[]] = [
  { productId: 'product-express', name: 'Express wash', unitPriceCents: 1200 },
  { productId: 'product-deluxe', name: 'Deluxe wash', unitPriceCents: 1800 },
  { productId: 'product-gift-card', name: 'Gift card', unitPriceCents: 5000 },
]

/** The demo's purchases as import lines: with the processor's id, which the service never shows. */
export function purchaseLines(): readonly object[] {
  const draw = createDraw(SEED)
  return Array.from({ length: COUNT }, (_, index) => {
    const number = String(index + 1).padStart(4, '0')
    const { productId, name, unitPriceCents } = draw.pick(wares)
    const quantity = 1 + draw.below(2)
    const subtotalCents = unitPriceCents * quantity
    const taxCents = Math.round(subtotalCents * 0.08875)
    const totalCents = subtotalCents + taxCents
    const isRefunded = draw.chance(10)
    const purchasedAt = draw.instant()
    return {
      processorId: `demo_ch_${number}`,
      status: isRefunded ? 'refunded' : 'paid',
      contactId: `contact-${String(1 + draw.below(2000)).padStart(4, '0')}`,
      siteId: draw.pick(siteIds),
      checkoutLinkId: productId === 'product-deluxe' ? 'checkout-deluxe' : null,
      currency: 'USD',
      subtotalCents,
      discountCents: 0,
      taxCents,
      totalCents,
      refundedCents: isRefunded ? totalCents : 0,
      items: [
        {
          productId,
          name,
          quantity,
          unitPriceCents,
          totalCents: subtotalCents,
          fulfillmentCodes: Array.from({ length: quantity }, () => `WASH-${100_000 + draw.below(900_000)}`),
        },
      ],
      purchasedAt,
      refundedAt: isRefunded ? new Date(Date.parse(purchasedAt) + REFUND_DELAY_MS).toISOString() : null,
    }
  })
}
