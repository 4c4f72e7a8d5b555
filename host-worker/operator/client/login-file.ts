import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { readTextFile, writePrivateFile } from '../../local/state.ts'
import { CommandError } from './errors.ts'

/** The default service for commands of this user, and the key for it. */
export interface Login {
  readonly url: string
  readonly key: string
}

const Stored = v.object({ url: v.string(), key: v.string() })

/** The path of the user's login: below `XDG_CONFIG_HOME`, else `~/.config` (on Windows, `APPDATA`). */
export function loginPath(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = [environment.XDG_CONFIG_HOME, environment.APPDATA].find(
    (path) => path !== undefined && path !== '',
  )
  return join(configured ?? join(homedir(), '.config'), 'tenant-data-api', 'operator.json')
}

/** The stored login; null: there is none. */
export function readLogin(path: string): Login | null {
  const text = readTextFile(path)
  if (text === null) return null
  try {
    return v.parse(Stored, JSON.parse(text))
  } catch (error) {
    throw new CommandError(`${path} cannot be read as a login. Log in again, or remove it.`, { cause: error })
  }
}

/** Stores a login in a file that only its user can read. */
export function writeLogin(path: string, login: Login): void {
  writePrivateFile(path, `${JSON.stringify(login, null, 2)}\n`)
}

/** Removes the login. False: there was none. */
export function removeLogin(path: string): boolean {
  if (readLogin(path) === null) return false
  rmSync(path, { force: true })
  return true
}
