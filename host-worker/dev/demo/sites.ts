export const siteIds = ['site-riverside', 'site-downtown', 'site-airport'] as const

const common = { timezone: 'America/New_York', status: 'active', createdAt: '2024-03-01T09:00:00-05:00' }

/** The demo organization's three sites, as import lines. */
export const siteLines: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...common,
    siteId: siteIds[0],
    name: 'Sparkle Car Wash Riverside',
    commonName: 'Riverside',
    siteCode: 'RIV',
    phone: '+12125550100',
    email: 'riverside@example.com',
    address: { line1: '12 River Road', city: 'New York', region: 'NY', postalCode: '10013', country: 'US' },
    latitude: 40.7203,
    longitude: -74.0105,
  },
  {
    ...common,
    siteId: siteIds[1],
    name: 'Sparkle Car Wash Downtown',
    commonName: 'Downtown',
    siteCode: 'DTN',
    phone: '+12125550101',
    address: {
      line1: '480 Grand Street',
      line2: 'Gate B',
      city: 'New York',
      region: 'NY',
      postalCode: '10002',
      country: 'US',
    },
    googlePlaceId: 'demo-place-downtown',
  },
  {
    ...common,
    siteId: siteIds[2],
    name: 'Sparkle Car Wash Airport (closed for rebuilding)',
    siteCode: 'APT',
    status: 'inactive',
    address: { city: 'Queens', region: 'NY', country: 'US' },
    createdAt: '2025-06-15T08:30:00-04:00',
  },
]
