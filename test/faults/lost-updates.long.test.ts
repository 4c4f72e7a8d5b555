import { beforeEach, describe, expect, test } from 'vitest'
import type { FormDefinition } from '../../ports/index.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { hashFormPassword } from '../../domain/forms/password.ts'
import { thorough, triedPlaces } from '../support/runner/thorough.ts'
import { sendImport } from '../support/data/sent-import.ts'
import { fakeRandom, seededRandom, testSecrets } from '../support/runner/fakes.ts'
import {
  createScratchPlaces,
  OWN,
  PLACES,
  type ScratchIsolate,
  type ScratchPlaces,
} from '../support/scratch/scratch-places.ts'
import { answerOf, openTestService, type Answer, type TestService } from '../support/services/service.ts'
import { openOperatorClient } from '../support/services/operator/operator-client.ts'

// Two changes at once, of which neither may undo what the other one changed. The second is made whole before each of the
// storage calls of the first, one after the other; then many times both at once, with pauses drawn at random.

const ROUNDS = thorough(200, 40)

/** A change of more storage calls than this has another one made before every third of them only. */
const MANY = 30
const STEP = thorough(1, 3)

/** Sends a request to the operator interface, below the organization. */
type Ask = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

interface Room {
  readonly service: TestService
  readonly scratch: ScratchPlaces
  readonly isolate: ScratchIsolate
  readonly ask: Ask
}

async function openRoom(choice: PlaceChoice): Promise<Room> {
  const scratch = createScratchPlaces()
  const isolate = scratch.isolate()
  const service = await openTestService(() => isolate)
  await isolate.administration.saveOrganization(
    { ...ORGANIZATION, organizationId: 'acme' },
    null,
    choice.kind === 'own' ? OWN : undefined,
  )
  const key = await service.addOperatorKey('admin')
  const ask: Ask = async (method, path, json, headers = {}) => {
    const init = { method, key, json, headers }
    return answerOf(await service.sendUnchecked(`/operator/v1/organizations/acme${path}`, init))
  }
  return { service, scratch, isolate, ask }
}

const ORGANIZATION = {
  name: 'Acme',
  slug: null,
  parentId: null,
  smsNumber: null,
  phoneCountry: 'US',
  posSource: null,
  billingEvents: true,
  analytics: false,
  retentionOfferAnalytics: false,
  automationHourly: 500,
}

const EMAIL = { id: 'email', type: 'email', label: 'Email' }
const FILE = { id: 'file', type: 'file', label: 'File' }
const formOf = (formId: string, changes: object = {}) => ({ formId, name: 'F', fields: [EMAIL], ...changes })

interface Stored {
  readonly name: string
  readonly isPublished: boolean
  readonly definition: FormDefinition
  readonly passwordHash: string | null
  readonly updatedAt: string
}

async function stored({ isolate }: Room, formId: string): Promise<Stored> {
  const fields = ['name', 'isPublished', 'definition', 'passwordHash', 'updatedAt']
  const [row] = await isolate.tenant('acme').findMany('forms', fields, [formId])
  return row as unknown as Stored
}

/** Two changes of a form that was saved as `begun`, and what must be true of their answers and of what is stored then. */
interface Pair {
  readonly name: string
  readonly begun?: object
  readonly first: (room: Room, formId: string) => Promise<Answer>
  readonly second: (room: Room, formId: string) => Promise<unknown>
  readonly proof: (room: Room, formId: string, first: Answer, before: Stored) => Promise<void>
}

const publish = (isPublished: boolean) => (room: Room, formId: string) =>
  room.ask('PUT', `/forms/${formId}/published`, { isPublished })
const save = (changes: object) => (room: Room, formId: string) =>
  room.ask('POST', '/forms', { forms: [formOf(formId, changes)] })

/** Another hash of the same password, as a submission makes one after a rotation of the root secret. */
const REHASHED = await hashFormPassword('sesame', await testSecrets(), fakeRandom(2))
const rehash = async (room: Room, formId: string): Promise<void> => {
  const { passwordHash } = await stored(room, formId)
  await room.isolate.tenant('acme').replacePasswordHash(formId, passwordHash ?? '', REHASHED)
}

const pairs: readonly Pair[] = [
  {
    name: 'publishing does not undo a definition that is saved meanwhile',
    first: publish(true),
    second: save({ name: 'Second', fields: [EMAIL, { ...EMAIL, id: 'other' }] }),
    async proof(room, formId, { status }) {
      expect(status).toBe(200)
      const form = await stored(room, formId)
      expect([form.name, form.isPublished, form.definition.fields.length]).toEqual(['Second', true, 2])
    },
  },
  {
    name: 'publishing does not undo a password that is set meanwhile',
    first: publish(true),
    second: save({ password: 'sesame' }),
    async proof(room, formId, { status }) {
      const form = await stored(room, formId)
      expect([status, form.isPublished, form.passwordHash !== null]).toEqual([200, true, true])
    },
  },
  {
    name: 'publishing never publishes what cannot be published',
    first: publish(true),
    second: save({ fields: [FILE] }),
    async proof(room, formId, { status }) {
      const { isPublished, definition } = await stored(room, formId)
      // Whichever comes second is refused: a published form is not taken offline by saving it, either.
      expect([
        { status: 200, isPublished: true, fields: [EMAIL] },
        { status: 409, isPublished: false, fields: [FILE] },
      ]).toContainEqual({ status, isPublished, fields: definition.fields })
    },
  },
  {
    name: 'taking a form back does not undo what is saved meanwhile',
    begun: { isPublished: true },
    first: publish(false),
    second: save({ name: 'Second', password: 'sesame' }),
    async proof(room, formId, { status }) {
      const { name, isPublished, passwordHash } = await stored(room, formId)
      expect([status, name, isPublished, passwordHash !== null]).toEqual([200, 'Second', false, true])
    },
  },
  {
    name: 'saving keeps a password that is set meanwhile',
    first: save({ name: 'First' }),
    second: save({ password: 'sesame' }),
    async proof(room, formId, { status }) {
      const { passwordHash } = await stored(room, formId)
      expect([status, passwordHash !== null]).toEqual([200, true])
    },
  },
  {
    name: 'saving does not bring back a password that is removed meanwhile',
    begun: { password: 'sesame' },
    first: save({ name: 'First' }),
    second: save({ password: null }),
    async proof(room, formId) {
      expect((await stored(room, formId)).passwordHash).toBeNull()
    },
  },
  {
    name: 'saving keeps a form published that is published meanwhile',
    first: save({ name: 'First' }),
    second: publish(true),
    async proof(room, formId) {
      const { name, isPublished } = await stored(room, formId)
      expect([name, isPublished]).toEqual(['First', true])
    },
  },
  {
    name: 'saving keeps a hash that is made anew meanwhile, when it leaves the password out',
    begun: { password: 'sesame' },
    first: save({ name: 'First' }),
    second: rehash,
    async proof(room, formId) {
      expect((await stored(room, formId)).passwordHash).toBe(REHASHED)
    },
  },
  {
    name: 'publishing keeps a hash that is made anew meanwhile',
    begun: { password: 'sesame' },
    first: publish(true),
    second: rehash,
    async proof(room, formId) {
      const { passwordHash, isPublished } = await stored(room, formId)
      expect([passwordHash, isPublished]).toEqual([REHASHED, true])
    },
  },
  {
    name: 'an import that repeats the password keeps a hash that is made anew meanwhile',
    begun: { password: 'sesame' },
    async first({ service, ask }, formId) {
      const admin = await openOperatorClient(service)
      const line = {
        ...formOf(formId),
        name: 'First',
        isPublished: true,
        notificationEmails: [],
        password: 'sesame',
      }
      const importId = await sendImport(service, admin, 'acme', 'forms', [line])
      return ask('POST', `/imports/${importId ?? ''}/commit`)
    },
    second: rehash,
    async proof(room, formId, { status }) {
      const { name, passwordHash } = await stored(room, formId)
      expect([status, name, passwordHash]).toEqual([200, 'First', REHASHED])
    },
  },
  {
    name: 'with If-Match, a save is either made on what was read or not at all',
    first: async (room, formId) => {
      const { etag, body } = await room.ask('GET', `/forms/${formId}`)
      const form = { ...(body.form as object), name: 'First' }
      return room.ask('POST', '/forms', { forms: [form] }, { 'if-match': etag ?? '' })
    },
    second: save({ successTitle: 'Second' }),
    async proof(room, formId, { status, body }) {
      const { name, definition } = await stored(room, formId)
      if (status === 412) {
        expect([name, definition.successTitle]).toEqual(['F', 'Second'])
        expect(body.current).toEqual((await room.ask('GET', `/forms/${formId}`)).body)
      } else {
        expect(status).toBe(200)
        // The other one came before it was read, or after it, and saved all of the form.
        expect(['First', 'F']).toContain(name)
        expect(definition.successTitle).toBe('Second')
      }
    },
  },
]

describe.each(triedPlaces(PLACES))('in the $kind place', (choice) => {
  let room: Room
  beforeEach(async () => {
    room = await openRoom(choice)
  })

  test.each(pairs)('$name', async ({ begun = {}, first, second, proof }) => {
    let calls = 0
    for (let at = 0; at <= calls; at += calls > MANY ? STEP : 1) {
      const formId = `form-${at}`
      await room.ask('POST', '/forms', { forms: [formOf(formId, begun)] })
      const before = await stored(room, formId)
      calls = await interleaved(
        room,
        at,
        () => first(room, formId),
        () => second(room, formId),
        (answer) => proof(room, formId, answer, before),
      )
    }
    expect(calls).toBeGreaterThan(2)
    expect(room.service.errors).toEqual([])
  })

  test('one retention does not undo the other, and one setting no other one', async () => {
    const settings = [
      ['/retention', { submissions: 30 }, '/retention', { sends: 7 }],
      ['', { slug: 'acme' }, '', { name: 'Second', phoneCountry: 'DE' }],
      ['', { analytics: true }, '/retention', { sends: 9 }],
      ['/retention', { submissions: 30 }, '', { name: 'Third' }],
    ] as const
    for (const [path, change, otherPath, other] of settings) {
      let calls = 0
      for (let at = 0; at <= calls; at += 1) {
        await room.ask('POST', '/retention', { submissions: null, sends: null })
        await room.ask('POST', '', ORGANIZATION)
        calls = await interleaved(
          room,
          at,
          () => room.ask('POST', path, change),
          async () => {
            expect((await room.ask('POST', otherPath, other)).status).toBe(200)
          },
          async ({ status }) => {
            expect(status).toBe(200)
            const { body } = await room.ask('GET', '')
            const shown = { ...body, ...(body.retention as object) }
            expect(shown).toMatchObject({ ...change, ...other })
          },
        )
      }
    }
  })

  test(`of ${ROUNDS} saves and publications at once, and as many settings of retention, nothing is lost`, async () => {
    const random = seededRandom(7)
    room.scratch.before = async () => {
      for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await nextTurn()
    }
    await room.ask('POST', '/forms', { forms: [formOf('busy')] })
    for (let round = 0; round < ROUNDS; round += 1) {
      const [name, wanted, password] = [`Round ${round}`, round % 2 === 0, round % 20 === 0]
      const before = (await stored(room, 'busy')).passwordHash
      const [submissions, sends] = [1 + (round % 300), 400 + (round % 300)]
      const answers = await Promise.all([
        save({ name, ...(password ? { password: name } : {}) })(room, 'busy'),
        publish(wanted)(room, 'busy'),
        room.ask('POST', '/retention', { submissions }),
        room.ask('POST', '/retention', { sends }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const form = await stored(room, 'busy')
      expect([form.name, form.isPublished, form.definition.isPublished]).toEqual([name, wanted, wanted])
      expect(form.passwordHash !== before).toBe(password)
      expect(await room.isolate.organizationStore('acme').retention()).toEqual({ submissions, sends })
    }
    expect(room.service.errors).toEqual([])
  })
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * Makes one change, and another one whole before its storage call number `at`, from 0; with a number that it does not
 * reach, after it.
 * @returns how many storage calls the first one made
 */
async function interleaved(
  { scratch }: Room,
  at: number,
  first: () => Promise<Answer>,
  second: () => Promise<unknown>,
  proof: (first: Answer) => Promise<void>,
): Promise<number> {
  let calls = 0
  const state = { isSecond: false, isMade: false }
  scratch.before = async () => {
    if (state.isSecond) return
    if (calls++ !== at) return
    state.isSecond = true
    state.isMade = true
    await second()
    state.isSecond = false
  }
  const answer = await first()
  scratch.before = () => undefined
  if (!state.isMade) await second()
  await proof(answer)
  return calls
}
