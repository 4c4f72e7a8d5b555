import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { seededRandom } from '../runner/fakes.ts'

/** A contact as an import line carries it. */
export type ContactLine = Readonly<Record<string, unknown>> & { readonly contactId: string }

const columns = [
  'contactId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'licensePlate',
  'tags',
  'emailConsent',
  'smsConsent',
  'source',
  'siteId',
  'createdAt',
] as const

/** Contacts with every field. Many have the same instant, so that pages must break ties. */
export function contactLines(count: number, seed: number): readonly ContactLine[] {
  const next = seededRandom(seed)
  const start = Date.parse('2024-01-01T00:00:00.000Z')
  return Array.from({ length: count }, (_, index) => ({
    contactId: `c-${seed}-${String(index).padStart(6, '0')}`,
    firstName: ['Ada', 'Bo, "the" Bold', 'Zoë', "O'Neil"][index % 4],
    lastName: index % 7 === 0 ? null : `Name ${index}`,
    email: `contact${index}@example.com`,
    phone: index % 3 === 0 ? null : `+1212555${String(index % 10_000).padStart(4, '0')}`,
    licensePlate: index % 5 === 0 ? `PLATE${index}` : null,
    tags: index % 2 === 0 ? ['member', 'a,b'] : [],
    emailConsent: ['subscribed', 'unsubscribed', 'unknown'][index % 3],
    smsConsent: 'unknown',
    source: 'import',
    siteId: null,
    createdAt: new Date(start + Math.floor(next() * (count / 10)) * 60_000).toISOString(),
  }))
}

/** Writes one JSON object per line. */
export function writeNdjson(path: string, lines: readonly object[]): void {
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** Writes many contacts in random order, like an export of another system, without holding them in memory. */
export async function writeManyContacts(path: string, rows: number): Promise<void> {
  const stream = createWriteStream(path)
  for (let index = 0; index < rows; index += 1) {
    const scattered = (index * 7_919) % 1_000_003
    const line = {
      contactId: `c-${index}`,
      firstName: 'Ada',
      lastName: `Name ${index}`,
      email: `contact${scattered}@example.com`,
      phone: index % 3 === 0 ? null : `+1212555${String(scattered % 10_000).padStart(4, '0')}`,
      tags: index % 2 === 0 ? ['member'] : [],
      emailConsent: 'subscribed',
      smsConsent: 'unknown',
      createdAt: new Date(Date.UTC(2024, 0, 1) + scattered * 60_000).toISOString(),
    }
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}

/** Writes CSV (RFC 4180) with a header; absent values are empty cells, lists are JSON. */
export function writeCsv(path: string, lines: readonly ContactLine[]): void {
  const rows = lines.map((line) => columns.map((column) => cell(line[column])).join(','))
  writeFileSync(path, `${[columns.join(','), ...rows].join('\r\n')}\r\n`)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${text.replaceAll('"', '""')}"`
}
