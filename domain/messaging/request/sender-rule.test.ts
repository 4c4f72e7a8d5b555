import { expect, test } from 'vitest'
import { anyEmailSender, emailSenderRuleOf, smsSenderOf } from './sender-rule.ts'

const identity = { domain: 'mail.example.com', brand: 'Brand' }
const acme = { name: 'Acme, Inc.', slug: 'acme' }

const ofTenant = emailSenderRuleOf(acme, identity)
const ofPlatform = emailSenderRuleOf(null, identity)

test('without a wish, each sends as itself', () => {
  expect(ofTenant.usual).toEqual({ name: 'Acme, Inc.', address: 'acme@mail.example.com' })
  expect(ofPlatform.usual).toEqual({ name: 'Brand', address: 'contact@mail.example.com' })
})

test('without a slug or a provider there is nothing to send from, and a sender is any that is one', () => {
  for (const rule of [emailSenderRuleOf({ ...acme, slug: null }, identity), emailSenderRuleOf(acme, null)])
    expect(rule).toBe(anyEmailSender)
  expect(anyEmailSender.read('X <x@example.com>')).toEqual({ name: 'X', address: 'x@example.com' })
  expect(anyEmailSender.read('X')).toBeNull()
})

test.each([
  ['acme@mail.example.com', null],
  ['Any Name <acme@mail.example.com>', 'Any Name'],
  ['<acme@MAIL.Example.COM>', null],
])('a tenant may send as %s', (from, name) => {
  expect(ofTenant.read(from)).toEqual({ name, address: 'acme@mail.example.com' })
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
  'acme@mail.example.com.',
  'acme@mail.example.com@evil.example',
  'Acme, Inc. <acme@mail.example.com>',
])('a tenant may not send as %s, and is told as what', (from) => {
  expect(ofTenant.read(from)).toBeNull()
  expect(ofTenant.allowed).toBe('must be acme@mail.example.com, alone or as Name <acme@mail.example.com>')
})

test('the operator may send as anything on the domain, and nothing else', () => {
  expect(ofPlatform.read('X <News.Letter+1@MAIL.example.com>')).toEqual({
    name: 'X',
    address: 'News.Letter+1@mail.example.com',
  })
  for (const from of [
    'contact@example.com',
    'a@sub.mail.example.com',
    'a@evilmail.example.com',
    'a@mail.example.com.evil',
    'a@mail.example.com.',
    'a@mail.example.com, b@mail.example.com',
  ]) {
    expect(ofPlatform.read(from)).toBeNull()
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
