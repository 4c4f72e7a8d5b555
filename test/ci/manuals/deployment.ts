import assert from 'node:assert/strict'
import { openRehearsal } from '../../support/cloudflare/rehearsal.ts'
import type { Checks } from '../../support/runner/checks.ts'

interface Deployment {
  /** A copy of the project. */
  readonly directory: string
  /** The commands of the manual. */
  readonly commands: readonly string[]
  readonly check: Checks['check']
}

/** Runs the commands of the deployment, in the order printed, into an account that is a stand-in on this machine. */
export async function rehearseDeployment({ directory, commands, check }: Deployment): Promise<void> {
  const rehearsal = await openRehearsal(directory)
  for (const command of commands) {
    // Logging in needs a browser.
    if (command === 'npx wrangler login') continue
    await check(`in an account that is a stand-in: ${command}`, async () => {
      const { exitCode, output } = await rehearsal.run(command)
      assert.equal(exitCode, 0, output)
    })
  }
  await check('the deployed service answers, and so does staging', async () => {
    const { account } = rehearsal
    for (const name of ['tenant-data-api', 'tenant-data-api-staging']) {
      const { status } = await rehearsal.ask(`https://${name}.acme.workers.dev/health`)
      assert.equal(status, 200)
    }
    const { versions = [], history = [] } = account.scripts.get('tenant-data-api') ?? {}
    // The first, its upgrade, and the upload of the deployment that retires.
    assert.equal(versions.length, 3)
    assert.equal(history[0]?.id, versions[1]?.id, 'the rollback serves the version before')
    const staging = account.scripts.get('tenant-data-api-staging')
    assert.notEqual(
      staging?.secrets.get('ROOT_SECRET'),
      account.scripts.get('tenant-data-api')?.secrets.get('ROOT_SECRET'),
    )
  })
  await rehearsal.close()
}
