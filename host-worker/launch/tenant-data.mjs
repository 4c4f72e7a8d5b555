#!/usr/bin/env node
/** The operator commands by a short name, from any folder. Plain JavaScript for the reason given in `run.mjs`. */
import { existsSync } from 'node:fs'

// npm puts this file into the package of the library too, where nothing else of the commands is.
if (existsSync(new URL('run.mjs', import.meta.url))) {
  process.env.TENANT_DATA_PROGRAM = 'tenant-data'
  process.argv.splice(2, 0, 'host-worker/operator/main.ts')
  await import('./run.mjs')
} else {
  process.stderr.write('tenant-data runs from a clone of the project: link it there, with npm link.\n')
  process.exitCode = 1
}
