import { expect, test } from 'vitest'
import { parseMailbox } from './mailbox-text.ts'
import { emailSenderOf, smsSenderOf } from './sender-of.ts'

const identity = { domain: 'mail.example.com', brand: 'Brand' }
const acme = { name: 'Acme, Inc.', slug: 'acme' }

function chosen(from: string | null, tenant: typeof acme | null) {
  const given = from === null ? null : parseMailbox(from)
  if (from !== null && given === null) throw new Error(`${from} is no mailbox`)
  return emailSenderOf(tenant, given, identity)
}

test('without a wish, each sends as itself', () => {
  expect(chosen(null, acme)).toEqual({
    kind: 'sender',
    sender: { name: 'Acme, Inc.', address: 'acme@mail.example.com' },
  })
  expect(chosen(null, null)).toEqual({
    kind: 'sender',
    sender: { name: 'Brand', address: 'contact@mail.example.com' },
  })
})

test.each([
  ['acme@mail.example.com', null],
  ['Any Name <acme@mail.example.com>', 'Any Name'],
  ['<acme@MAIL.Example.COM>', null],
])('a tenant may send as %s', (from, name) => {
  expect(chosen(from, acme)).toEqual({
    kind: 'sender',
    sender: { name, address: 'acme@mail.example.com' },
  })
})

test.each([
  'Acme@mail.example.com',
  'other@mail.example.com',
  'contact@mail.example.com',
  'acme+x@mail.example.com',
  'acme@example.com',
  'acme@sub.mail.example.com',
  'acme@mail.example.com.evil.example',
  'acme@evilmail.example.com',
  'acme@mail-example.com',
  'acme%mail.example.com@evil.example',
])('a tenant may not send as %s, and is told as what', (from) => {
  expect(chosen(from, acme)).toEqual({
    kind: 'not_allowed',
    problem: 'the address must be acme@mail.example.com',
  })
})

test('the operator may send as anything on the domain, and nothing else', () => {
  expect(chosen('X <News.Letter+1@MAIL.example.com>', null)).toEqual({
    kind: 'sender',
    sender: { name: 'X', address: 'News.Letter+1@mail.example.com' },
  })
  for (const from of [
    'contact@example.com',
    'a@sub.mail.example.com',
    'a@evilmail.example.com',
    'a@mail.example.com.evil',
  ]) {
    expect(chosen(from, null)).toEqual({
      kind: 'not_allowed',
      problem: 'the address must be on mail.example.com',
    })
  }
})

test('text messages come from the number, or the short code for whom it is', () => {
  const number = { smsNumber: '+12125550100' }
  expect(smsSenderOf(number, false)).toEqual({ kind: 'number', number: '+12125550100' })
  expect(smsSenderOf(number, true)).toEqual({ kind: 'shortcode' })
  expect(smsSenderOf({ smsNumber: null }, true)).toEqual({ kind: 'shortcode' })
  expect(smsSenderOf({ smsNumber: null }, false)).toBeNull()
  expect([smsSenderOf(null, false), smsSenderOf(null, true)]).toEqual([
    { kind: 'shortcode' },
    { kind: 'shortcode' },
  ])
})
