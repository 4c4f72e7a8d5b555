import { describe, expect, it } from 'vitest'
import { compiledOf, fieldOf, optionsOf } from '../../../test/support/data/forms/forms.ts'
import { contactOf } from './contact.ts'

const form = compiledOf([
  fieldOf('e', 'email', { contactField: 'email' }),
  fieldOf('e2', 'short_text', { contactField: 'email' }),
  fieldOf('p', 'phone', { contactField: 'phone' }),
  fieldOf('f', 'short_text', { contactField: 'firstName' }),
  fieldOf('l', 'short_text', { contactField: 'lastName' }),
  fieldOf('c', 'single_choice', { contactField: 'licensePlate', options: optionsOf('B-AB 1') }),
  fieldOf('other', 'email'),
])

const contact = (given: Readonly<Record<string, string>>, country = 'US') =>
  contactOf(form, new Map(Object.entries(given)), country, 'con_1')

describe('the contact of a submission', () => {
  it('takes its attributes from mapped fields', async () => {
    const given = {
      e: ' Ada@Example.com ',
      p: '(212) 555-0123',
      f: ' Ada ',
      l: 'Lovelace',
      c: 'B-AB 1',
      other: 'x@y.example',
    }
    expect(await contact(given)).toEqual({
      newContactId: 'con_1',
      email: 'Ada@Example.com',
      emailKey: 'ada@example.com',
      phone: '+12125550123',
      firstName: 'Ada',
      lastName: 'Lovelace',
      licensePlate: 'B-AB 1',
    })
  })

  it.each([
    ['+49 30 901820', 'US', '+4930901820'],
    ['030 901820', 'DE', '+4930901820'],
    ['0049 30 901820', 'DE', '+4930901820'],
    ['030 901820', 'US', null],
    ['555-0123', 'US', null],
    ['1234567', 'US', null],
  ])('reads the phone %s in %s', async (p, country, phone) => {
    expect((await contact({ e: 'a@b.example', p }, country))?.phone).toBe(phone)
  })

  it.each([
    ['\u202aAda@example.com\u202c', 'Ada@example.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
    [' ada@BÜCHER.example\u200b ', 'ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ])('has the address %j as it is seen, compared in ASCII', async (given, email, emailKey) => {
    for (const field of ['e', 'e2'])
      expect(await contact({ [field]: given })).toMatchObject({ email, emailKey })
  })

  it.each([
    '\u202a+49 30 901820\u202c',
    '+٤٩ ٣٠ ٩٠١٨٢٠',
    '＋４９ ３０ ９０１８２０',
    '+४९ ३० ९०१८२०',
    '+49\u200b30\u00ad901820',
  ])('reads the phone %j', async (p) => {
    expect(await contact({ p })).toMatchObject({ phone: '+4930901820' })
  })

  it('is nobody without a valid email or phone', async () => {
    expect(await contact({})).toBeNull()
    expect(await contact({ f: 'Ada', l: 'Lovelace', other: 'a@b.example' })).toBeNull()
    expect(await contact({ p: '1234567', f: 'Ada' })).toBeNull()
    expect(await contact({ e2: 'not an address' })).toBeNull()
  })

  it('is somebody by phone alone', async () => {
    expect(await contact({ p: '2125550123' })).toMatchObject({
      email: null,
      emailKey: null,
      phone: '+12125550123',
    })
  })

  it('takes the first usable answer to an attribute', async () => {
    expect((await contact({ e: 'a@b.example', e2: 'c@d.example' }))?.email).toBe('a@b.example')
    expect((await contact({ e2: 'c@d.example' }))?.email).toBe('c@d.example')
  })
})
