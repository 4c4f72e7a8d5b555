import assert from 'node:assert/strict'
import type { MakeStorage, StorageCase } from '../case.ts'
import { at, contact, form, readContact, submission, twoTenants, type TwoTenants } from '../fixtures.ts'

const PHONE = '+12125550123'
const OTHER_PHONE = '+12125550199'

type Attributes = NonNullable<Parameters<typeof submission>[2]>

/** A store with the form `form-1` and these contacts, and a function that submits and returns the contact's id. */
async function withContacts(make: MakeStorage, rows: readonly ReturnType<typeof contact>[]) {
  const storage = await twoTenants(make)
  await storage.tenant('org-a').upsert('forms', [form('form-1')])
  await storage.tenant('org-a').upsert('contacts', rows)
  let count = 0
  const submit = async (attributes: Attributes): Promise<string | null> => {
    count += 1
    const outcome = await storage.tenant('org-a').saveSubmission(submission(`sub-${count}`, {}, attributes))
    assert(outcome.kind === 'saved')
    return outcome.contactId
  }
  return { storage, submit }
}

async function fieldsOf(
  storage: TwoTenants,
  id: string,
  ...fields: readonly string[]
): Promise<readonly unknown[]> {
  const row = await readContact(storage, id)
  return fields.map((field) => row?.[field])
}

export const contactMatchingCases: readonly StorageCase[] = [
  {
    name: 'somebody new becomes a contact as of the submission',
    async run(make) {
      const { storage, submit } = await withContacts(make, [])
      const attributes = {
        email: 'Ada@Example.com',
        phone: PHONE,
        firstName: 'Ada',
        lastName: 'L',
        licensePlate: 'X1',
      }
      assert.equal(await submit(attributes), 'new-sub-1')
      const { updatedAt, ...row } = (await readContact(storage, 'new-sub-1')) ?? {}
      const expected = { ...attributes, source: 'form', createdAt: at(1) }
      assert.deepEqual(row, contact('new-sub-1', expected))
      assert(typeof updatedAt === 'string')
    },
  },
  {
    name: 'the email matches whatever its case, before any phone, and the oldest of several contacts is taken',
    async run(make) {
      const { submit } = await withContacts(make, [
        contact('by-phone', { phone: PHONE, createdAt: at(-9) }),
        contact('young', { email: 'ada@example.com', createdAt: at(-1) }),
        contact('old-2', { email: 'ADA@example.com', createdAt: at(-5) }),
        contact('old-1', { email: 'ada@example.com', createdAt: at(-5) }),
      ])
      assert.equal(await submit({ email: 'Ada@Example.Com', phone: PHONE }), 'old-1')
    },
  },
  {
    name: 'the phone matches a contact without an email, and fills it',
    async run(make) {
      const { storage, submit } = await withContacts(make, [contact('c', { phone: PHONE, firstName: 'Ada' })])
      assert.equal(
        await submit({ email: 'Ada@example.com', phone: PHONE, firstName: 'Eve', lastName: 'L' }),
        'c',
      )
      const fields = await fieldsOf(storage, 'c', 'email', 'emailKey', 'phone', 'firstName', 'lastName')
      assert.deepEqual(fields, ['Ada@example.com', 'ada@example.com', PHONE, 'Ada', 'L'])
    },
  },
  {
    name: 'without an email, the phone matches its oldest contact whatever the email of that',
    async run(make) {
      const { storage, submit } = await withContacts(make, [
        contact('young', { phone: PHONE, createdAt: at(-1) }),
        contact('old', { phone: PHONE, email: 'ada@example.com', createdAt: at(-5) }),
      ])
      assert.equal(await submit({ phone: PHONE, lastName: 'L' }), 'old')
      assert.deepEqual(await fieldsOf(storage, 'old', 'email', 'lastName'), ['ada@example.com', 'L'])
    },
  },
  {
    name: 'a phone whose contact has another email does not match, and is not copied to the new contact',
    async run(make) {
      const { storage, submit } = await withContacts(make, [
        contact('eve', { phone: PHONE, email: 'eve@example.com' }),
      ])
      assert.equal(await submit({ email: 'ada@example.com', phone: PHONE }), 'new-sub-1')
      assert.deepEqual(await fieldsOf(storage, 'new-sub-1', 'email', 'phone'), ['ada@example.com', null])
      assert.deepEqual(await fieldsOf(storage, 'eve', 'email', 'phone'), ['eve@example.com', PHONE])
    },
  },
  {
    name: 'a match by email is never given a phone that another contact holds',
    async run(make) {
      const { storage, submit } = await withContacts(make, [
        contact('ada', { email: 'ada@example.com' }),
        contact('eve', { phone: PHONE }),
      ])
      assert.equal(await submit({ email: 'ada@example.com', phone: PHONE, firstName: 'Ada' }), 'ada')
      assert.deepEqual(await fieldsOf(storage, 'ada', 'phone', 'firstName'), [null, 'Ada'])
      assert.equal(await submit({ email: 'ada@example.com', phone: OTHER_PHONE }), 'ada')
      assert.deepEqual(await fieldsOf(storage, 'ada', 'phone'), [OTHER_PHONE])
    },
  },
  {
    name: 'attributes that are there are never replaced; empty text counts as absent',
    async run(make) {
      const { storage, submit } = await withContacts(make, [
        contact('ada', {
          email: 'ada@example.com',
          phone: PHONE,
          firstName: 'Ada',
          lastName: '',
          licensePlate: 'X1',
        }),
      ])
      const offered = { email: 'ADA@example.com', phone: OTHER_PHONE, firstName: 'Eve', lastName: 'L' }
      assert.equal(await submit({ ...offered, licensePlate: 'Y2' }), 'ada')
      const fields = await fieldsOf(storage, 'ada', 'email', 'phone', 'firstName', 'lastName', 'licensePlate')
      assert.deepEqual(fields, ['ada@example.com', PHONE, 'Ada', 'L', 'X1'])
    },
  },
  {
    name: "a contact's updatedAt moves only when something was filled",
    async run(make) {
      const { storage, submit } = await withContacts(make, [contact('ada', { email: 'ada@example.com' })])
      const before = await readContact(storage, 'ada')
      storage.clock.ms += 1000
      await submit({ email: 'ada@example.com' })
      assert.deepEqual(await readContact(storage, 'ada'), before)
      storage.clock.ms += 1000
      await submit({ email: 'ada@example.com', firstName: 'Ada' })
      assert.deepEqual(await fieldsOf(storage, 'ada', 'firstName', 'updatedAt'), ['Ada', at(2)])
    },
  },
  {
    name: 'a consent is not passed on to the address that a submission fills in; a refusal stays',
    async run(make) {
      const { storage, submit } = await withContacts(make, [
        contact('email', { phone: PHONE, emailConsent: 'subscribed', smsConsent: 'subscribed' }),
        contact('phone', { email: 'eve@example.com', emailConsent: 'subscribed', smsConsent: 'subscribed' }),
        contact('refused', { phone: '+12125550177', emailConsent: 'unsubscribed', smsConsent: 'subscribed' }),
      ])
      const consents = (id: string) => fieldsOf(storage, id, 'emailConsent', 'smsConsent')
      const ada = { email: 'ada@example.com', phone: PHONE }
      // Other attributes leave the consents alone, and so does an address that belongs to somebody else.
      await submit({ phone: PHONE, firstName: 'Ada' })
      await submit({ email: 'eve@example.com', phone: PHONE, firstName: 'Eve' })
      assert.deepEqual(await consents('email'), ['subscribed', 'subscribed'])
      assert.deepEqual(await consents('phone'), ['subscribed', 'subscribed'])
      storage.clock.ms += 1000
      assert.deepEqual(
        await Promise.all(Array.from({ length: 5 }, () => submit(ada))),
        Array(5).fill('email'),
      )
      assert.deepEqual(await fieldsOf(storage, 'email', 'email', 'updatedAt'), ['ada@example.com', at(1)])
      assert.deepEqual(await consents('email'), ['unknown', 'subscribed'])
      assert.equal(await submit({ email: 'eve@example.com', phone: OTHER_PHONE }), 'phone')
      assert.deepEqual(await consents('phone'), ['subscribed', 'unknown'])
      assert.equal(await submit({ email: 'bob@example.com', phone: '+12125550177' }), 'refused')
      assert.deepEqual(await consents('refused'), ['unsubscribed', 'subscribed'])
      // A consent that is given afterwards was given for this address, and stays.
      const [filled] = await storage.tenant('org-a').findMany('contacts', Object.keys(contact('')), ['email'])
      await storage.tenant('org-a').upsert('contacts', [{ ...filled, emailConsent: 'subscribed' }])
      await submit({ ...ada, lastName: 'L' })
      assert.deepEqual(await consents('email'), ['subscribed', 'subscribed'])
    },
  },
  {
    name: "another organization's contacts neither match nor hold an email or phone",
    async run(make) {
      const { storage, submit } = await withContacts(make, [])
      await storage
        .tenant('org-b')
        .upsert('contacts', [contact('b', { email: 'ada@example.com', phone: PHONE })])
      assert.equal(await submit({ email: 'ada@example.com', phone: PHONE }), 'new-sub-1')
      assert.deepEqual(await fieldsOf(storage, 'new-sub-1', 'email', 'phone'), ['ada@example.com', PHONE])
    },
  },
]
