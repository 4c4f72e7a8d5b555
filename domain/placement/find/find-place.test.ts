import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  contact,
  form,
  organization,
  START_MS,
  submission,
  tenantKey,
} from '../../../adapters/conformance/fixtures.ts'
import {
  createScratchPlaces,
  OWN,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../../../test/support/scratch/scratch-places.ts'
import { toInstant } from '../../text/instant.ts'
import { ElsewhereError } from './errors.ts'

let scratch: ScratchPlaces
let operator: ScratchIsolate

beforeEach(async () => {
  scratch = createScratchPlaces()
  operator = scratch.isolate()
  for (const [organizationId, choice] of [
    ['acme', OWN],
    ['plain', undefined],
  ] as const) {
    await operator.administration.saveOrganization(organization(organizationId), null, choice)
    await operator.administration.addKey(tenantKey(organizationId, `key-${organizationId}`))
    await operator.tenant(organizationId).upsert('contacts', [contact('c-1')])
    await operator.tenant(organizationId).upsert('forms', [form(`form-${organizationId}`)])
  }
})

/** The databases that the work calls, in order. */
async function callsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  scratch.calls.length = 0
  await work()
  return scratch.calls.map(({ at }) => at)
}

const claimOf = (organizationId: string, keyId = `key-${organizationId}`, hash = `hash of ${keyId}`) =>
  ({ organizationId, keyId, hashes: [hash] }) as const
const read = (isolate: ScratchIsolate, claim: ReturnType<typeof claimOf>) =>
  isolate.keyed.open(claim).read([])
const isLetIn = async (isolate: ScratchIsolate, claim: ReturnType<typeof claimOf>) =>
  (await read(isolate, claim)).authenticated

async function submit(isolate: ScratchIsolate, organizationId: string, submissionId: string) {
  const found = await isolate.forms.find(`form-${organizationId}`)
  if (found === null) throw new Error('The form is missing')
  return isolate.forms
    .submissionsOf(found.organizationId)
    .saveSubmission(submission(submissionId, { formId: found.formId }))
}

describe('what a request costs', () => {
  test('of an organization in the shared database: one call, always', async () => {
    const isolate = scratch.isolate()
    expect(await callsOf(() => read(isolate, claimOf('plain')))).toEqual(['shared'])
    expect(await callsOf(() => read(isolate, claimOf('plain')))).toEqual(['shared'])
    expect(await callsOf(() => submit(isolate, 'plain', 's-1'))).toEqual(['shared', 'shared'])
  })

  test('of one in a database of its own: one call there, and one look more the first time', async () => {
    const isolate = scratch.isolate()
    expect(await callsOf(() => read(isolate, claimOf('acme')))).toEqual(['shared', 'acme.1'])
    expect(await callsOf(() => read(isolate, claimOf('acme')))).toEqual(['acme.1'])
    const saved = () => isolate.tenant('acme').saveSubmission(submission('s-1', { formId: 'form-acme' }))
    expect(await callsOf(saved)).toEqual(['acme.1'])
  })

  test('of a key: one call more in its own place, once an hour, and one when its hash is old', async () => {
    const isolate = scratch.isolate()
    await read(isolate, claimOf('acme'))
    const { administration } = isolate
    for (const [organizationId, at] of [
      ['acme', 'acme.1'],
      ['plain', 'shared'],
    ] as const) {
      const { keyId, hashes } = claimOf(organizationId)
      const note = () => administration.noteKeyUse(keyId, '2026-06-15T12:00:00.000Z', organizationId)
      expect(await callsOf(note)).toEqual([at])
      expect(await administration.findKey(keyId)).toMatchObject({ lastUsedAt: '2026-06-15T12:00:00.000Z' })
      const [hash] = hashes
      expect(await callsOf(() => administration.rehashKey(keyId, hash, 'v2', organizationId))).toEqual([at])
    }
  })

  test('of a first submission: the directory, the form, and the submission', async () => {
    const isolate = scratch.isolate()
    expect(await callsOf(() => submit(isolate, 'acme', 's-1'))).toEqual(['shared', 'acme.1', 'acme.1'])
  })

  test.each([
    ['of an organization with its own database', 'acme', 'key-none'],
    ['of one in the shared database', 'plain', 'key-none'],
    ['of no organization', 'nobody', 'key-none'],
    ['of another organization', 'plain', 'key-acme'],
    ['of another organization, the other way round', 'acme', 'key-plain'],
  ])('of a forged key %s: one look-up, on a cold isolate too', async (_, organizationId, keyId) => {
    const isolate = scratch.isolate()
    const forged = claimOf(organizationId, keyId)
    const refusal = () =>
      callsOf(async () => {
        expect(await isLetIn(isolate, forged)).toBe(false)
      })
    expect(await refusal()).toEqual(['shared'])
    // The isolate now knows where the organization lives, and one of its keys.
    await read(isolate, claimOf('acme'))
    expect(await refusal()).toEqual(['shared'])
    expect(await refusal()).toEqual(['shared'])
  })

  test('of a key that the isolate has not met, of an organization that it has: one look more', async () => {
    const isolate = scratch.isolate()
    await read(isolate, claimOf('acme'))
    await operator.administration.addKey(tenantKey('acme', 'key-later'))
    const later = claimOf('acme', 'key-later')
    expect(await callsOf(() => read(isolate, later))).toEqual(['shared', 'acme.1'])
    expect(await callsOf(() => read(isolate, later))).toEqual(['acme.1'])
  })

  test('of a wrong secret with the id of an issued key: as that key, and the isolate learns nothing', async () => {
    const isolate = scratch.isolate()
    const wrong = claimOf('acme', 'key-acme', 'another hash')
    const refusal = () =>
      callsOf(async () => {
        expect(await isLetIn(isolate, wrong)).toBe(false)
      })
    for (let times = 0; times < 2; times += 1) expect(await refusal()).toEqual(['shared', 'acme.1'])
    await read(isolate, claimOf('acme'))
    expect(await refusal()).toEqual(['acme.1'])
    expect(await callsOf(() => read(isolate, claimOf('acme')))).toEqual(['acme.1'])
  })

  test('of a key whose id is reserved, and which is not stored yet: refused, and let in at once afterwards', async () => {
    const isolate = scratch.isolate()
    await operator.places.directory.reserveKey('key-new', 'acme', null)
    expect(await isLetIn(isolate, claimOf('acme', 'key-new'))).toBe(false)
    await operator.administration.addKey(tenantKey('acme', 'key-new'))
    expect(await isLetIn(isolate, claimOf('acme', 'key-new'))).toBe(true)
  })

  test('a revoked key gets nothing on its next request, from an isolate that knows it and one that does not', async () => {
    const [warm, cold] = [scratch.isolate(), scratch.isolate()]
    await read(warm, claimOf('acme'))
    await operator.administration.revokeKey('key-acme', toInstant(START_MS))
    expect([await isLetIn(warm, claimOf('acme')), await isLetIn(cold, claimOf('acme'))]).toEqual([
      false,
      false,
    ])
  })

  test('of an unknown form: one look-up', async () => {
    const isolate = scratch.isolate()
    expect(
      await callsOf(async () => {
        expect(await isolate.forms.find('none')).toBeNull()
      }),
    ).toEqual(['shared'])
  })
})

describe('an isolate that remembers an old place', () => {
  let stale: ScratchIsolate

  beforeEach(async () => {
    stale = scratch.isolate()
    await read(stale, claimOf('acme'))
  })

  test.each(['own', 'shared'] as const)(
    'answers as if nothing had happened after a move to %s',
    async (to) => {
      await scratch.move('acme', to)
      const now = to === 'own' ? 'acme.2' : 'shared'
      const first = await callsOf(async () => {
        expect(await isLetIn(stale, claimOf('acme'))).toBe(true)
      })
      expect(first).toEqual(['acme.1', 'shared', now])
      expect(await callsOf(() => read(stale, claimOf('acme')))).toEqual([now])
      expect((await submit(stale, 'acme', 's-1')).kind).toBe('saved')
    },
  )

  test.each(['own', 'shared'] as const)('lets no key in that was revoked after a move to %s', async (to) => {
    await scratch.move('acme', to)
    await scratch.isolate().administration.revokeKey('key-acme', toInstant(START_MS))
    expect(await isLetIn(stale, claimOf('acme'))).toBe(false)
    expect(await isLetIn(scratch.isolate(), claimOf('acme'))).toBe(false)
  })

  test('finds a family that moves while it is asked', async () => {
    let moves = 0
    scratch.before = async ({ at }) => {
      if (at !== 'acme.1' && at !== 'acme.2') return
      if (moves === 2) return
      moves += 1
      await scratch.move('acme', 'own')
    }
    expect(await isLetIn(stale, claimOf('acme'))).toBe(true)
    expect(scratch.calls.at(-1)?.at).toBe('acme.3')
  })

  describe('that does not work any more', () => {
    const failures: Readonly<Record<string, () => Promise<void>>> = {
      fails: () => Promise.reject(new Error('The database is broken')),
      'never answers': () => new Promise(() => undefined),
    }

    /** Lets every call of the old place end in a failure, or never, and makes one that does. */
    async function breakOldPlace(failure: () => Promise<void>): Promise<void> {
      scratch.before = ({ at }) => (at === 'acme.1' ? failure() : undefined)
      const isWithoutAnswer = await Promise.race([
        read(stale, claimOf('acme')).then(
          () => false,
          () => true,
        ),
        setImmediate(true),
      ])
      expect(isWithoutAnswer).toBe(true)
    }

    test.each(Object.entries(failures))(
      'because it %s: asks the directory ten seconds later',
      async (_, failure) => {
        await scratch.move('acme', 'shared')
        await breakOldPlace(failure)
        scratch.clock.ms += 10_001
        const calls = await callsOf(async () => {
          expect(await isLetIn(stale, claimOf('acme'))).toBe(true)
        })
        expect(calls).toEqual(['shared'])
      },
    )

    test('asks the directory once in ten seconds while that still names the place', async () => {
      await breakOldPlace(() => Promise.reject(new Error('The database is broken')))
      const failingRead = () => read(stale, claimOf('acme')).catch(() => undefined)
      scratch.clock.ms += 10_001
      expect(await callsOf(failingRead)).toEqual(['shared', 'acme.1'])
      expect(await callsOf(failingRead)).toEqual(['acme.1'])
      scratch.clock.ms += 10_000
      expect(await callsOf(failingRead)).toEqual(['acme.1'])
      scratch.clock.ms += 1
      expect(await callsOf(failingRead)).toEqual(['shared', 'acme.1'])
    })

    test('is asked about by the directory ten seconds later, however many forged keys are refused', async () => {
      await scratch.move('acme', 'shared')
      await breakOldPlace(() => Promise.reject(new Error('The database is broken')))
      for (let seconds = 0; seconds <= 10; seconds += 1) {
        expect(await isLetIn(stale, claimOf('acme', 'key-none'))).toBe(false)
        scratch.clock.ms += 1_001
      }
      expect(await isLetIn(stale, claimOf('acme'))).toBe(true)
    })

    test('asks the directory nothing once the place has answered again', async () => {
      await breakOldPlace(() => Promise.reject(new Error('The database is broken')))
      scratch.before = () => undefined
      scratch.clock.ms += 5_000
      expect(await isLetIn(stale, claimOf('acme'))).toBe(true)
      scratch.clock.ms += 3_600_000
      expect(await callsOf(() => read(stale, claimOf('acme')))).toEqual(['acme.1'])
    })
  })

  test('is told of a fault, and never of a missing key, when the directory names a database that is not there', async () => {
    await scratch.run('update families set generation = 9')
    await expect(read(scratch.isolate(), claimOf('acme'))).rejects.toThrow(ElsewhereError)
  })
})

test('two families of their own see nothing of each other, under the same ids', async () => {
  await operator.administration.saveOrganization(organization('rival'), null, OWN)
  await operator.administration.addKey(tenantKey('rival', 'key-rival'))
  await operator.tenant('rival').upsert('contacts', [contact('c-1', { firstName: 'Theirs' })])
  const isolate = scratch.isolate()
  for (const [organizationId, keyId] of [
    ['rival', 'key-acme'],
    ['acme', 'key-rival'],
    ['acme', 'key-plain'],
    ['plain', 'key-acme'],
  ] as const)
    expect(await isLetIn(isolate, claimOf(organizationId, keyId))).toBe(false)
  const firstNames = await Promise.all(
    ['acme', 'rival'].map((id) => isolate.tenant(id).findMany('contacts', ['firstName'], ['c-1'])),
  )
  expect(firstNames).toEqual([[{ firstName: null }], [{ firstName: 'Theirs' }]])
})

test('a child has its key and its rows in the database of its family', async () => {
  await operator.administration.saveOrganization(organization('shop', { parentId: 'acme' }), null)
  await operator.administration.addKey(tenantKey('shop', 'key-shop'))
  const isolate = scratch.isolate()
  const calls = await callsOf(async () => {
    expect(await isLetIn(isolate, claimOf('shop'))).toBe(true)
  })
  expect(calls).toEqual(['shared', 'acme.1'])
  await scratch.move('acme', 'own')
  expect(await isLetIn(isolate, claimOf('shop'))).toBe(true)
})
