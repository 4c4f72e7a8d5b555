import assert from 'node:assert/strict'
import type { PersonInRole, PersonRole } from '../../ports/index.ts'
import { at, twoTenants, type StorageInstance } from './fixtures.ts'
import { auditEntry } from './changes.ts'
import { casesFrom } from './cases.ts'

const ADA = 'ada@x.example'
const BOUNDS = { since: at(-3600), perPerson: 5, perNetwork: 60, keptSince: at(-3600) }

let made = 0
const next = ({ operatorChanges }: StorageInstance) => operatorChanges(auditEntry(`person ${(made += 1)}`))

function inRole(role: PersonRole, organizationId: string | null): PersonInRole {
  return { person: ADA, organizationId, role, email: ADA, name: null, addedAt: at(0), addedBy: 'root' }
}

function save(storage: StorageInstance, role: PersonRole, organizationId: string | null): Promise<boolean> {
  return next(storage).savePerson(inRole(role, organizationId), undefined, null)
}

function remove(storage: StorageInstance, organizationId: string | null): Promise<boolean> {
  return next(storage).removePerson({ person: ADA, organizationId }, undefined, null)
}

/** Asks for a link. */
async function ask({ people }: StorageInstance, hash: string, sentTo: string | null = ADA): Promise<void> {
  const link = { hash, person: ADA, browserHash: 'browser', network: null, createdAt: at(0) }
  assert.equal(await people.addLink(link, BOUNDS), sentTo)
}

/** Opens a link, a minute after it was asked for. */
function use({ people }: StorageInstance, hash: string) {
  const session = { sessionId: hash, createdAt: at(60), lastSeenAt: at(60), expiresAt: at(3600), browser: '' }
  return people.useLink({ hash, browserHash: 'browser', since: at(-840) }, session, `session of ${hash}`)
}

export const peopleCases = casesFrom(twoTenants, {
  async 'a link opens nothing after its person was removed, also when they are added again'(storage) {
    for (const organizationId of ['org-a', null]) {
      const role = organizationId === null ? 'admin' : 'member'
      await save(storage, role, organizationId)
      await ask(storage, `before in ${organizationId}`)
      assert.equal(await remove(storage, organizationId), true)
      await save(storage, role, organizationId)
      assert.equal(await use(storage, `before in ${organizationId}`), 'gone')
      await ask(storage, `after in ${organizationId}`)
      assert.equal(await use(storage, `after in ${organizationId}`), 'opened')
    }
  },
  async 'a link opens nothing after the only role of its person, or that in the service, was changed'(
    storage,
  ) {
    await save(storage, 'member', 'org-a')
    await ask(storage, '1')
    await save(storage, 'member', 'org-a')
    assert.equal(await use(storage, '1'), 'opened')
    await ask(storage, '2')
    await save(storage, 'owner', 'org-a')
    assert.equal(await use(storage, '2'), 'gone')
    await ask(storage, '3')
    await next(storage).addPerson([inRole('member', 'org-a'), inRole('member', 'org-b')], ['another'], null)
    assert.equal(await use(storage, '3'), 'gone')
    await save(storage, 'admin', null)
    await ask(storage, '4')
    await save(storage, 'support', null)
    assert.equal(await use(storage, '4'), 'gone')
  },
  async 'links that ended with a role count against the bound of an hour'(storage) {
    for (let count = 0; count < BOUNDS.perPerson; count += 1) {
      await save(storage, count % 2 === 0 ? 'member' : 'owner', 'org-a')
      await ask(storage, String(count))
    }
    assert.equal(await remove(storage, 'org-a'), true)
    await save(storage, 'member', 'org-a')
    await ask(storage, 'one too many', null)
  },
  async 'a link stays when a role is changed or taken by who gave no other one, or when nothing is changed'(
    storage,
  ) {
    await save(storage, 'member', 'org-a')
    await save(storage, 'member', 'org-b')
    await ask(storage, '1')
    await save(storage, 'owner', 'org-b')
    assert.equal(await remove(storage, 'org-b'), true)
    assert.equal(await use(storage, '1'), 'opened')
    await ask(storage, '2')
    const expected = { role: 'owner', name: null } as const
    assert.equal(
      await next(storage).removePerson({ person: ADA, organizationId: 'org-a' }, expected, null),
      false,
    )
    assert.equal(await next(storage).savePerson(inRole('owner', 'org-a'), expected, null), false)
    assert.equal(await next(storage).savePerson(inRole('owner', 'org-a'), undefined, 'nobody'), false)
    assert.equal(await use(storage, '2'), 'opened')
  },
})
