import { join } from 'node:path'
import { readKey } from '../../domain/access/keys.ts'
import { placeObject } from '../support/databases/d1-files.ts'
import { beforeOf, type Before } from './before.ts'
import { benchCases, type Case } from './cases.ts'
import { compare, printRatio, type Contender } from './compare.ts'
import type { Owned } from './own-files.ts'
import * as OwnFiles from './own-files.ts'
import {
  bareWorker,
  buildWorker,
  changed,
  filesWith,
  seedImage,
  withNothingAfterwards,
  type Seeded,
} from './prepare.ts'
import { OBJECTS_KEY, startTarget, type Target } from './runtime.ts'

/** The organization of the bench. Its object has the first name that the family's objects get. */
const FAMILY = 'bench'
const OBJECT = `${FAMILY}.1`

/**
 * The ratios to the others that the service on a database of its own should reach, by case. For a bare worker, a
 * conditional submission is only one more insert.
 */
const aims: Readonly<Record<string, number>> = { 'list of 100': 1.5, detail: 2 }
const SUBMISSION_AIM = 1.5
const OF_BARE_OBJECT_AIM = 0.85

/**
 * Measures the service on an organization with a database of its own. It is compared with a bare worker on the shared
 * database, a bare worker on an object, the service on the shared database, and an earlier state of the service on a
 * database of its own if there is one, all with the same rows.
 */
export async function benchPlaces(folder: string, before: Before | null): Promise<void> {
  const script = withNothingAfterwards(buildWorker(folder))
  const { image, key, contactId } = await seedImage(script, folder)
  const ownFiles = filesOfFamily({ image, key }, folder, 'own')
  const bareFiles = filesWith(image, folder, 'bare-object')
  placeObject(join(bareFiles, 'do'), OBJECTS_KEY, OBJECT, image)
  const started = {
    own: await startTarget(script, ownFiles),
    bareShared: await startTarget(
      bareWorker(folder, 'bare-worker.mjs'),
      filesWith(image, folder, 'bare-shared'),
    ),
    bareObject: await startTarget(bareWorker(folder, 'bare-object-worker.mjs'), bareFiles),
    shared: await startTarget(script, filesWith(image, folder, 'shared')),
  }
  const earlier =
    before &&
    (await startTarget(
      withNothingAfterwards(before.script),
      filesOfFamily(before.seeded, folder, 'before', before.ownFiles),
    ))
  for (const each of benchCases(contactId, key)) {
    const contenders = contendersOf(each, started)
    const [, bareShared, bareObject] = await compare(
      each,
      before && earlier ? [...contenders, beforeOf(each, before.seeded, earlier)] : contenders,
    )
    if (bareShared === undefined || bareObject === undefined) continue
    printRatio(each.name, bareObject, bareShared)
  }
  for (const target of [...Object.values(started), earlier]) await target?.runtime.dispose()
}

/**
 * Writes the files of a runtime in which the organization has a database of its own.
 * @param own how the state of the service that is to read them stores that
 */
function filesOfFamily(
  { image, key }: Pick<Seeded, 'image' | 'key'>,
  folder: string,
  name: string,
  own: Pick<typeof OwnFiles, 'enterDirectory' | 'openObject'> = OwnFiles,
): string {
  const directory = changed(image, (sqlite) => {
    own.enterDirectory(sqlite, ownedWith(key))
  })
  const object = changed(image, (sqlite) => {
    own.openObject(sqlite, FAMILY)
  })
  const files = filesWith(directory, folder, name)
  placeObject(join(files, 'do'), OBJECTS_KEY, OBJECT, object)
  return files
}

function ownedWith(key: string): Owned {
  const keyIds = [readKey(key)?.keyId ?? '']
  return { organizationId: FAMILY, keyIds, formIds: ['bench-form', 'bench-quiet', 'bench-conditional'] }
}

function contendersOf(
  { name, shot }: Case,
  targets: Readonly<Record<'own' | 'bareShared' | 'bareObject' | 'shared', Target>>,
): readonly Contender[] {
  return [
    { name: 'service on an object', target: targets.own, shot, aim: null },
    { name: 'bare on D1', target: targets.bareShared, shot, aim: aims[name] ?? SUBMISSION_AIM },
    { name: 'bare on an object', target: targets.bareObject, shot, aim: OF_BARE_OBJECT_AIM },
    { name: 'service on D1', target: targets.shared, shot, aim: null },
  ]
}
