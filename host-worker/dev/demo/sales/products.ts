import { siteIds } from '../sites.ts'

const common = { status: 'active', currency: 'USD', createdAt: '2024-03-01T09:00:00-05:00' }
const open = [siteIds[0], siteIds[1]]

/** The demo organization's products, as import lines. */
export const productLines: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...common,
    productId: 'product-express',
    name: 'Express wash',
    type: 'one_time',
    priceCents: 1200,
    siteIds,
  },
  {
    ...common,
    productId: 'product-deluxe',
    name: 'Deluxe wash',
    description: 'With wax and tires.',
    type: 'one_time',
    priceCents: 1800,
    siteIds: open,
  },
  {
    ...common,
    productId: 'product-unlimited',
    name: 'Unlimited',
    type: 'membership',
    priceCents: 3999,
    billingInterval: 'month',
    siteIds: open,
    createdAt: '2024-09-01T09:00:00-04:00',
  },
  {
    ...common,
    productId: 'product-gift-card',
    name: 'Gift card',
    type: 'gift_card',
    priceCents: 5000,
    siteIds: [],
    createdAt: '2024-11-15T09:00:00-05:00',
  },
  {
    ...common,
    productId: 'product-hand-wax',
    name: 'Hand wax',
    type: 'one_time',
    status: 'archived',
    priceCents: 9900,
    siteIds: [siteIds[0]],
  },
]

/** Checkout links for some of these products, as import lines. */
export const checkoutLinkLines: readonly Readonly<Record<string, unknown>>[] = [
  {
    checkoutLinkId: 'checkout-deluxe',
    name: 'Deluxe wash at Riverside',
    url: 'https://pay.example.com/deluxe',
    status: 'active',
    items: [{ productId: 'product-deluxe', quantity: 1 }],
    siteId: siteIds[0],
    successUrl: 'https://sparkle.example.com/thanks',
    createdAt: '2024-10-01T09:00:00-04:00',
  },
  {
    checkoutLinkId: 'checkout-gift',
    name: 'Gift card and two washes',
    url: 'https://pay.example.com/gift',
    status: 'expired',
    items: [
      { productId: 'product-gift-card', quantity: 1 },
      { productId: 'product-express', quantity: 2 },
    ],
    expiresAt: '2025-12-27T00:00:00-05:00',
    createdAt: '2025-11-20T09:00:00-05:00',
  },
]
