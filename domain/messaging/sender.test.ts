import { expect, test } from 'vitest'
import { formatMailbox, platformMailbox, tenantMailbox } from './sender.ts'

const from = { name: 'Acme', address: 'acme@mail.example.com' }

test('senders: the tenant by slug, the service by its brand, names quoted where they must be', () => {
  const mail = { domain: 'mail.example.com', brand: 'Brand' }
  expect(tenantMailbox({ name: 'Acme', slug: 'acme' }, mail)).toEqual(from)
  expect(tenantMailbox({ name: 'Acme', slug: null }, mail)).toBeNull()
  expect(formatMailbox(platformMailbox(mail))).toBe('Brand <contact@mail.example.com>')
  const shown = (name: string | null) => formatMailbox({ name, address: 'a@b.example' })
  expect(shown(null)).toBe('a@b.example')
  expect(shown('Öl & Söhne')).toBe('Öl & Söhne <a@b.example>')
  expect(shown('A, "B" <x@y.example>\r\nBcc: z')).toBe('"A, \\"B\\" <x@y.example> Bcc: z" <a@b.example>')
  expect(shown(' \n ')).toBe('a@b.example')
})
