import {
  createFamilyDatabases,
  createObjectStorage,
  type FamilyNamespace,
} from '../../../adapters/durable-object/index.ts'
import type { Clock } from '../../../ports/platform.ts'
import { namespaceOf, openScratchFamily, type ScratchFamily } from './scratch-family.ts'
import type { ScratchOptions } from './scratch-storage.ts'

/** Objects of families in this process, for a scratch storage that gives every family its own object. */
export interface ScratchObjects extends Required<Pick<ScratchOptions, 'choice' | 'own'>> {
  /** The object of this name, such as `acme.1`. */
  object(name: string): ScratchFamily
}

/** @param through wraps the calls that reach an object; default: none are changed */
export function scratchObjects(
  clock: Clock,
  through: (namespace: FamilyNamespace) => FamilyNamespace = (namespace) => namespace,
): ScratchObjects {
  const objects = new Map<string, ScratchFamily>()
  const object = (name: string): ScratchFamily => {
    const found = objects.get(name) ?? openScratchFamily({ clock })
    objects.set(name, found)
    return found
  }
  const namespace = through(namespaceOf((name) => object(name).object()))
  return {
    object,
    choice: { kind: 'own', region: null, jurisdiction: null },
    own: {
      databases: createFamilyDatabases({ namespace, clock }),
      storageAt: (place, isConfirmed, meter) =>
        createObjectStorage({ namespace, place, isConfirmed, clock, meter }),
    },
  }
}
