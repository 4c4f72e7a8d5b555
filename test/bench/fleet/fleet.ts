import { seededRandom } from '../../support/runner/fakes.ts'
import { ORGANIZATION_HEADER } from '../bare/bare-statements.mjs'
import { get, submit } from '../cases.ts'
import { compare, printRatio } from '../compare.ts'
import { drawMembers, fillFleet, type Member } from './fleet-files.ts'
import type { Shot } from '../load.ts'
import { bareWorker, buildWorker } from '../prepare.ts'
import { startTarget } from '../runtime.ts'
import { plainAnswers } from '../seed.ts'

const ORGANIZATIONS = Number(process.env.FLEET_ORGANIZATIONS ?? 1_000)
const CONTACTS = Number(process.env.FLEET_CONTACTS ?? 1_000)
const CONNECTIONS = 64
const MEASURING = { concurrency: CONNECTIONS, rounds: Number(process.env.BENCH_ROUNDS ?? 6) }

/** In a round of fewer requests, chance decides the figures. */
const SHOTS_MIN = 1_000

/** How many times as many submissions as the fleet on D1 the fleet on objects should take. */
const SUBMISSION_AIM = 3

interface FleetCase {
  readonly name: string
  readonly aim: number | null
  readonly shotOf: (member: Member) => Shot
}

const cases: readonly FleetCase[] = [
  {
    name: 'submission',
    aim: SUBMISSION_AIM,
    shotOf: ({ formId }) => submit(formId, plainAnswers),
  },
  { name: 'list of 100', aim: null, shotOf: ({ key }) => get(key, '/api/v1/contacts') },
  { name: 'detail', aim: null, shotOf: ({ key }) => get(key, '/api/v1/contacts/contactId-0') },
]

/**
 * Measures a fleet of organizations that are requested in shuffled order over many connections, once in one D1 database
 * and once with an object for each, both with the same rows. The third contender is a bare Worker on objects, which
 * does only the read or the insert: no service could take more submissions on this machine.
 */
export async function benchFleet(folder: string): Promise<void> {
  const script = buildWorker(folder)
  const startedAt = performance.now()
  const members = await drawMembers(ORGANIZATIONS)
  const files = await fillFleet(folder, members, CONTACTS)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(`${ORGANIZATIONS} organizations of ${CONTACTS} contacts, filled twice in ${seconds} s`)
  const own = await startTarget(script, files.own)
  const shared = await startTarget(script, files.shared)
  const bare = await startTarget(bareWorker(folder, 'bare-object-worker.mjs'), files.bare)
  const mixed = inNoOrder(members)
  // A round has only one request for each organization, unless there are few organizations. So all contenders have
  // their turn within the ten seconds after which a runtime closes an object without requests, and the measured fleet
  // is a busy one.
  const shotsPerRound = Math.max(SHOTS_MIN, ORGANIZATIONS)
  for (const { name, aim, shotOf } of cases) {
    const shot = mixed.map(shotOf)
    const contenders = [
      { name: 'objects', target: own, shot, aim: null },
      { name: 'one D1', target: shared, shot, aim },
      { name: 'bare on objects', target: bare, shot: mixed.map(namingOrganization(shotOf)), aim: null },
    ]
    const [, onD1, onObjects] = await compare({ name, shotsPerRound }, contenders, MEASURING)
    if (onD1 !== undefined && onObjects !== undefined) printRatio(name, onObjects, onD1)
  }
  await Promise.all([own, shared, bare].map(({ runtime }) => runtime.dispose()))
}

/** The same request, with a header that tells a bare Worker which object to call. */
function namingOrganization(shotOf: FleetCase['shotOf']): FleetCase['shotOf'] {
  return (member) => {
    const shot = shotOf(member)
    return { ...shot, headers: { ...shot.headers, [ORGANIZATION_HEADER]: member.organizationId } }
  }
}

/** The members in a shuffled order, the same in every run. */
function inNoOrder(members: readonly Member[]): readonly Member[] {
  const next = seededRandom(16)
  return members
    .map((member) => ({ member, at: next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ member }) => member)
}
