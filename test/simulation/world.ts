import { createPlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { Log } from '../../ports/platform.ts'
import { fakeRandom } from '../support/runner/fakes.ts'
import type { ClientParts } from './clients/client.ts'
import { startClients, type Clients } from './clients/index.ts'
import { openSimulatedDatabase, type SimulatedDatabase } from './engine/database.ts'
import type { Decisions } from './engine/decisions.ts'
import { decideFaults } from './engine/faults.ts'
import { everlasting, type Scheduler } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { createDeliveries, type Deliveries } from './invariants/deliveries.ts'
import { createEntryChecks } from './invariants/entries.ts'
import { createKeyChecks } from './invariants/keys.ts'
import { createPassingChecks } from './invariants/passing.ts'
import { createMoveChecks } from './invariants/moves.ts'
import { createPlaceChecks } from './invariants/places.ts'
import { createRunChecks } from './invariants/runs.ts'
import { createSavedChecks } from './invariants/saved.ts'
import { createSendChecks } from './invariants/sends.ts'
import { createMessageChecks } from './invariants/messages.ts'
import { createTimelyChecks } from './invariants/timely.ts'
import { createVerdicts, type Verdicts } from './invariants/verdicts.ts'
import { createVersions } from './invariants/versions.ts'
import type { ChangeCheck } from './invariants/watch.ts'
import { createCoverage } from './engine/coverage.ts'
import { createReference, type Reference } from './reference.ts'
import { createAims } from './service/aims.ts'
import { createDeployments, type Deployments } from './service/processes/deployments.ts'
import { createFamilyObjects } from './service/objects/family-objects.ts'
import { openPlaces } from './service/places.ts'
import { openRootSecrets } from './service/processes/root-secrets.ts'
import { startService, type RunningService } from './service/processes/running-service.ts'
import { createHomes, lookIntoPlaces, type StoredPlaces } from './service/stored-places.ts'
import type { Mutant, Universe } from './service/universe.ts'
import { found, organizationIds, passing } from './setting.ts'

/** Something that must never happen, but did. */
export interface Violation {
  readonly invariant: string
  readonly details: string
  /** The number of the event in which it was noticed. */
  readonly step: number
}

/** The service with all its clients. */
export interface World {
  readonly universe: Universe
  readonly stored: StoredPlaces
  readonly service: RunningService
  readonly deployments: Deployments
  readonly clients: Clients
  readonly reference: Reference
  readonly verdicts: Verdicts
  readonly deliveries: Deliveries
  /** Runs the next event. False: an invariant was violated. */
  step(): Promise<boolean>
  steps(): number
  /** How many writes to storage there have been. */
  writes(): number
  /** The first violation; null: none yet. */
  violation(): Violation | null
  /** From now on clients begin nothing new. */
  endClients(): void
  close(): void
}

export interface WorldOptions {
  readonly decide: Decisions
  readonly scheduler: Scheduler
  readonly mutant: Mutant | null
}

/** The possible maximum pauses of clients between two actions, in ms. Each run has one of them. */
const RESTS_MS = [500, 10_000, 200_000, 7_200_000] as const
/** How long an object waits for the answer when it hands entries over, in ms. */
const HAND_OVER_MAX_MS = 10

const silent: Log = { info: () => undefined, error: () => undefined }

export async function openWorld(options: WorldOptions): Promise<World> {
  const { decide, scheduler } = options
  const progress = createProgress()
  const reference = createReference()
  const { founded, whenAborted, writes, versions, ...opened } = await openService(
    options,
    progress,
    reference,
  )
  const { universe, stored, service } = opened
  const gammaIsChild = decide.chance('gamma is a child of beta', 50)
  const parentOf = (organizationId: string) => (organizationId === 'gamma' && gammaIsChild ? 'beta' : null)
  const namespace = service.objects.namespaceOf(null)
  const parties = {
    clock: { nowMs: scheduler.nowMs },
    deadline: scheduler.deadlineOf(everlasting),
    background: { run: () => undefined },
  }
  const operatorKey = await found({
    storage: createPlacedStorage(openPlaces({ executor: universe.database, namespace, ...parties }), silent),
    secrets: universe.secrets(),
    random: fakeRandom(),
    nowMs: scheduler.nowMs(),
    reference,
    parentOf,
    choiceOf: (organizationId) =>
      decide.pick(`place of ${organizationId}`, ['shared', 'own']) === 'shared'
        ? { kind: 'shared' }
        : { kind: 'own', region: null, jurisdiction: null },
  })
  founded(stored.take())
  universe.faults.begin()
  let isOver = false
  const { isCalm, clockErrorMaxMs } = universe.faults
  const parts: ClientParts = {
    ...{ decide, reference, operatorKey, stored, versions, isCalm, network: service.network },
    ...{ nowMs: scheduler.nowMs, happened: universe.happened },
    objectsForget: universe.faults.mayBe('objectReset') || universe.faults.mayBe('release'),
    violated: progress.violated,
    restMaxMs: decide.pick('longest rest', RESTS_MS),
    pause: (delayMs) => scheduler.pause(delayMs),
    isOver: () => isOver,
    // The clocks of the process that set a key's expiry and of the one that checks it may both be wrong.
    hasEnded: ({ state, endsAtMs }) =>
      state === 'revoked' || endsAtMs + 2 * clockErrorMaxMs < scheduler.nowMs(),
  }
  const roots = organizationIds.filter((organizationId) => parentOf(organizationId) === null)
  const clients = startClients(parts, roots, progress.broken)
  whenAborted.push(() => {
    for (const root of roots) void clients.abortMove(root)
  })
  return {
    ...{ ...opened, clients, reference },
    ...{ steps: progress.steps, writes, violation: progress.violation },
    step: () => progress.through(scheduler.step()),
    endClients() {
      isOver = true
    },
    close() {
      service.objects.close()
      universe.database.close()
    },
  }
}

/** Starts the service in an empty world. */
async function openService(
  { decide, scheduler, mutant }: WorldOptions,
  progress: Progress,
  reference: Reference,
) {
  const { violated } = progress
  const trace = createTrace(() => ({ nowMs: scheduler.nowMs(), step: progress.steps() }))
  const faults = decideFaults(decide)
  const homes = createHomes((): SimulatedDatabase => database)
  const { nowMs } = scheduler
  const database = openSimulatedDatabase({
    ...{ name: 'shared', nowMs, rewrite: mutant?.statement },
    holds: (organizationId) => homes.of(organizationId) === 'shared',
  })
  const roots = await openRootSecrets(mutant?.rotatesAtOnce ?? false)
  const deployed = { decide, scheduler, trace, database, roots, service: (): RunningService => service }
  const deployments = createDeployments(deployed)
  const coverage = createCoverage()
  let writes = 0
  const written: Universe['written'] = (tell) => {
    const changes = stored.take()
    tell(changes)
    if (changes.length === 0) return
    writes += 1
    checkPassing(changes)
    const lasting = changes.filter(({ organizationId }) => organizationId !== passing.organizationId)
    for (const check of checks) check(lasting)
    checkPlaces(changes)
  }
  const shared = {
    decide,
    scheduler,
    faults,
    trace,
    mutant,
    violated,
    written,
    coverage,
    logged: new Set<string>(),
    happened: coverage.happened,
    versionOf: deployments.versionOf,
  }
  const objects = createFamilyObjects(
    shared,
    (organizationId, name) => homes.of(organizationId) === name,
    async (refs) => {
      await scheduler.pause(1 + decide.delayMs('handing over', HAND_OVER_MAX_MS))
      service.fleet.any('that takes work over').workOff(refs)
    },
  )
  const stored = lookIntoPlaces(database, objects, homes)
  const others = { ...shared, database, stored, secrets: () => roots.current() }
  const whenAborted: (() => void)[] = []
  const aims = createAims(others, {
    kill: (process) => {
      service.fleet.kill(process)
    },
    abortMoves: () => {
      for (const listener of whenAborted) listener()
    },
  })
  const universe: Universe = { ...others, aims }
  const service = startService(universe, objects)
  const { email, sms, receivers } = service
  const watch = { stored, faults, nowMs, violated, happened: coverage.happened, email, sms, receivers }
  const versions = createVersions(watch)
  const first = roots.current().current.version
  const verdicts = createVerdicts({ ...watch, isRotated: () => roots.current().current.version !== first })
  const deliveries = createDeliveries({ ...watch, versions, verdicts, reference })
  const runChecks = createRunChecks(watch)
  // When an alarm was lost, the sweep asks the object later.
  const mayWait = (organizationId: string) =>
    faults.mayBe('alarmLost') && stored.homeOf(organizationId) !== database.name
  const checks: readonly ChangeCheck[] = [
    versions.follow,
    createTimelyChecks(watch),
    createMessageChecks(watch),
    verdicts.check,
    createSavedChecks(watch, verdicts),
    runChecks,
    createKeyChecks(watch),
    createMoveChecks(watch),
    createSendChecks(watch),
    deliveries.check,
    createEntryChecks({ ...watch, deliveries, quietSinceMs: faults.quietSinceMs, mayWait }),
  ]
  const checkPlaces = createPlaceChecks(watch)
  const checkPassing = createPassingChecks(watch, reference)
  const founded: ChangeCheck = (changes) => {
    versions.follow(changes)
    runChecks(changes.filter(({ table }) => table === 'contacts'))
  }
  const opened = { universe, stored, service, deployments, versions, verdicts, deliveries }
  return { ...opened, founded, whenAborted, writes: () => writes }
}

/** The state of a run. */
type Progress = ReturnType<typeof createProgress>

/** Tracks how far a run is, and what it found. */
function createProgress() {
  let steps = 0
  let violation: Violation | null = null
  const mistakes: Error[] = []
  return {
    steps: () => steps,
    violation: () => violation,
    violated: (invariant: string, details: string): void => {
      violation ??= { invariant, details, step: steps }
    },
    /** Records a mistake in the simulation itself. */
    broken: (error: unknown): void => {
      mistakes.push(error instanceof Error ? error : new Error(String(error)))
    },
    /** Counts an event once it has happened. */
    async through(event: Promise<boolean>): Promise<boolean> {
      if (!(await event)) throw new Error('Nothing happens any more')
      const [mistake] = mistakes
      if (mistake !== undefined) throw mistake
      steps += 1
      return violation === null
    },
  }
}
