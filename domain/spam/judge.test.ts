import { beforeAll, describe, expect, it, test } from 'vitest'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { definitionOf, fieldOf } from '../../test/support/data/forms/forms.ts'
import type { Secrets } from '../access/secrets.ts'
import { compileForm } from '../forms/language/compile.ts'
import type { AnswerValue } from '../forms/language/definition.ts'
import { wordsOf } from './content.ts'
import { judge, networkOf } from './judge.ts'

let secrets: Secrets
beforeAll(async () => {
  secrets = await testSecrets()
})

const LONG = 'A text of more than forty characters, word for word.'

const fields = [
  fieldOf('name', 'short_text', { contactField: 'firstName' }),
  fieldOf('message', 'long_text'),
  fieldOf('more', 'long_text'),
  fieldOf('mail', 'email'),
  fieldOf('kind', 'single_choice', { options: [{ value: LONG, label: 'x' }] }),
]

async function judged(
  answers: Readonly<Record<string, AnswerValue>>,
  {
    network = null as string | null,
    extra = null as Record<string, string> | null,
    formId = 'contact-us',
    organizationId = 'org',
  } = {},
) {
  const definition = { ...definitionOf(fields), formId }
  const compilation = compileForm(definition)
  if (compilation.kind !== 'supported') throw new Error('The form is not supported')
  const stored = { organizationId, formId, definition } as Parameters<typeof judge>[0]
  return judge(stored, compilation.form, { answers, extra }, network, secrets)
}

const signsOf = async (...given: Parameters<typeof judged>) =>
  (await judged(...given)).signs.map(({ sign }) => sign)

describe('signs', () => {
  it('are long texts alone, the same for the same words, and nothing that can be read', async () => {
    expect(
      await judged({ name: 'Ada', message: 'Short.', kind: LONG, mail: `${'a'.repeat(40)}@example.com` }),
    ).toEqual({
      reasons: [],
      signs: [],
      words: expect.any(Array) as number[],
    })
    const [sign, ...others] = await signsOf({ message: LONG })
    expect(others).toEqual([])
    expect(sign).toMatch(/^[\w-]{16}$/)
    expect(
      await signsOf({ more: `  ${LONG.toUpperCase().replaceAll(' ', '\r\n ')}`, message: LONG }),
    ).toEqual([sign])
    expect(await signsOf({ message: `${LONG}!` })).not.toEqual([sign])
    expect((await judged({ message: LONG })).signs).toEqual([
      { sign, keptMs: 3_600_000, earlierMax: 9, reason: 'repeated' },
    ])
  })

  it('are none of what a page sends besides, which is read all the same', async () => {
    const settings = { _subject: 'Viagra, bitcoin and seo', _replyto: 'casino@example.com' }
    expect((await judged({}, { extra: settings })).reasons).toEqual([])
    const extra = { page: LONG, note: 'Cheap viagra' }
    expect(await judged({}, { extra })).toEqual({
      reasons: ['words'],
      signs: [],
      words: wordsOf({ ...extra }),
    })
  })

  it('are of 40 characters or more', async () => {
    expect(await signsOf({ message: 'x'.repeat(39) })).toEqual([])
    expect(await signsOf({ message: 'x'.repeat(40) })).toHaveLength(1)
    expect(await signsOf({ message: `${'x'.repeat(39)}   ` })).toEqual([])
  })

  it('are of the ten longest texts', async () => {
    const many = Array.from({ length: 12 }, (_, index) => fieldOf(`text-${index}`, 'long_text'))
    const definition = { ...definitionOf(many), formId: 'contact-us' }
    const compilation = compileForm(definition)
    if (compilation.kind !== 'supported') throw new Error('The form is not supported')
    const stored = { organizationId: 'org', formId: 'contact-us', definition } as Parameters<typeof judge>[0]
    const signs = async (answers: Readonly<Record<string, string>>) =>
      (await judge(stored, compilation.form, { answers, extra: null }, null, secrets)).signs.map(
        ({ sign }) => sign,
      )
    const texts = many.map((_, index) => String(index % 10).repeat(40 + ((index * 5) % 12)))
    const all = await signs(Object.fromEntries(texts.map((text, index) => [`text-${index}`, text])))
    const longest = texts.filter(({ length }) => length >= 42)
    expect(longest).toHaveLength(10)
    const single = await Promise.all(longest.map((text) => signs({ 'text-0': text })))
    expect(new Set(all)).toEqual(new Set(single.flat()))
  })

  it('of a form and an organization tell nothing of another', async () => {
    const given = { message: LONG }
    const network = '192.0.2.1'
    const all = [
      await signsOf(given, { network }),
      await signsOf(given, { network, formId: 'other' }),
      await signsOf(given, { network, organizationId: 'other' }),
      await signsOf({ message: network.padEnd(60) }, { network: null }),
    ].flat()
    expect(new Set(all).size).toBe(6)
    expect((await judged({}, { network })).signs).toMatchObject([
      { keptMs: 60_000, earlierMax: 20, reason: 'flood' },
    ])
  })
})

test('a link in a name is spam, and elsewhere it is not', async () => {
  expect((await judged({ name: 'Win www.money.example' })).reasons).toEqual(['link_in_name'])
  expect((await judged({ message: 'The photos are at https://photos.example/12' })).reasons).toEqual([])
})

test.each([
  [null, null],
  ['', null],
  ['not an address', null],
  ['192.0.2.7', '192.0.2.7'],
  ['300.1.1.1', null],
  ['127.0.0.1', null],
  ['127.8.9.10', null],
  ['::1', null],
  ['::ffff:127.0.0.1', null],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0'],
  ['2001:db8:0:1::1', '2001:db8:0:1'],
  ['1::', '1:0:0:0'],
  ['::', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5:6:7', null],
  ['fe80::1%eth0', null],
  ['[::2]', null],
])('the network of %j is %j', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
