import { expect, test } from 'vitest'
import { organization } from '../../adapters/conformance/fixtures.ts'
import { createScratchPlaces, OWN } from '../../test/support/scratch/scratch-places.ts'
import { createPlacedStorage } from '../placement/placed-storage.ts'
import { findForms, saveForms } from './save-forms.ts'
import { portWith } from '../../test/support/runner/port-with.ts'

const silent = { info: () => undefined, error: () => undefined }
const passwords = { hash: async (password: string) => `hash of ${password}`, verify: async () => false }
const now = '2026-03-01T10:00:00.000Z'

test.each([undefined, OWN])(
  'an id that another organization takes meanwhile is refused, and nothing is saved (place %j)',
  async (choice) => {
    const storage = createPlacedStorage(createScratchPlaces().isolate().places, silent)
    for (const id of ['late', 'first'])
      await storage.administration.saveOrganization(organization(id), null, choice)
    const save = async (
      organizationId: string,
      formIds: readonly string[],
      before?: () => Promise<unknown>,
    ) => {
      const tenant = storage.tenant(organizationId)
      let looks = 0
      return saveForms(
        formIds.map((formId) => ({ formId, name: 'F', fields: [] })),
        await findForms(formIds, tenant),
        {
          passwords,
          now,
          savedBy: 'Grace',
          isOwner: true,
          tenant: portWith(tenant, {
            // The other organization saves after the first look, and before the write.
            foreignIds: async (...given) => {
              const found = await tenant.foreignIds(...given)
              if (looks++ === 0) await before?.()
              return found
            },
          }),
        },
      )
    }
    const saving = await save('late', ['mine', 'wanted'], () => save('first', ['wanted']))
    expect(saving).toEqual({
      kind: 'refused',
      problems: [{ form: 2, field: 'formId', message: 'belongs to another organization' }],
    })
    expect(await storage.tenant('late').findMany('forms', ['formId'], ['mine', 'wanted'])).toEqual([])
  },
)
